/** Turns the events of an answer's stream into changes of its turn. */

import type { Turn } from "./turn";
import type { AskEvent, Claim, Stage } from "./types";

export class TurnReducer {
  #stage: Stage | null = null;
  #claims: readonly Claim[] = [];

  /** Returns the fields that change. Every event sets the stage again, because a drop showed "reconnecting". */
  reduce(event: AskEvent, turn: Turn): Partial<Turn> {
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
        return { stage: this.#stage, claims: this.#withClaim(event, turn.claims) };
      case "answer":
        return { state: "done", stage: null, answer: event.answer, claims: event.answer.claims };
    }
  }

  /** Keeps showing the claims of an earlier attempt as long as this attempt repeats them. */
  #withClaim({ text, verdict, citations }: Claim, shown: readonly Claim[]): readonly Claim[] {
    const isSame = shown[this.#claims.length]?.text === text;
    this.#claims = [...this.#claims, { text, verdict, citations }];
    return isSame ? shown : this.#claims;
  }
}
