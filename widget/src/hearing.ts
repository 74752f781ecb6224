/** What the events of an answer make of its turn. */

import type { Turn } from "./exchange";
import type { AskEvent, Claim, Stage } from "./told";

export class Hearing {
  #stage: Stage | null = null;
  #claims: readonly Claim[] = [];

  /** What changes. Also after a drop, the stage is the one that was reached before it. */
  of(event: AskEvent, turn: Turn): Partial<Turn> {
    switch (event.type) {
      case "status":
        this.#stage = event.stage;
        return { stage: this.#stage };
      case "found":
        return { stage: this.#stage, hits: event.hits };
      case "restart":
        this.#claims = [];
        return { stage: this.#stage };
      case "claim":
        return { stage: this.#stage, claims: this.#after(event, turn.claims) };
      case "answer":
        return { state: "done", stage: null, answer: event.answer, claims: event.answer.claims };
    }
  }

  /** What an earlier try has told stays, for as long as this one tells the same. */
  #after({ text, verdict, citations }: Claim, shown: readonly Claim[]): readonly Claim[] {
    const isShown = shown[this.#claims.length]?.text === text;
    this.#claims = [...this.#claims, { text, verdict, citations }];
    return isShown ? shown : this.#claims;
  }
}
