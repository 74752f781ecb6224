/** Draws one turn: the question, its answer and what stands below it. */

import { drawAnswer, watchTables } from "./answer";
import { answerFooter } from "./answer_footer";
import type { Turn } from "./chat";
import type { Context } from "./context";
import { showFeedback } from "./feedback";
import { icon } from "./icons";
import { node, note, quote } from "./node";
import type { Preview } from "./preview";
import { progress } from "./progress";

export class TurnView {
  readonly node = node("article");
  readonly #context: Context;
  readonly #answer = node("div", { class: "answer", dir: "auto" });
  readonly #footer = node("div", { class: "foot" });
  #turn: Turn | null = null;

  constructor(turn: Turn, context: Context, preview: Preview) {
    this.#context = context;
    const { selection } = turn;
    if (selection?.only) this.node.append(note(context.messages.thisOnly));
    if (selection) this.node.append(quote(selection.text));
    this.node.append(questionHeading(turn.question), this.#answer, this.#footer);
    preview.watch(this.#answer, ({ dataset }) =>
      this.#turn?.answer?.citations.find(({ n }) => `${n}` === dataset["n"]),
    );
    this.draw(turn);
  }

  draw(turn: Turn): void {
    const previous = this.#turn;
    this.#turn = turn;
    if (turn === previous) return;
    this.node.className = `turn ${turn.answer?.outcome ?? turn.state}`;
    if (!turn.answer || turn.answer !== previous?.answer) this.#drawAll(turn);
    showFeedback(this.#footer, turn);
  }

  #drawAll(turn: Turn): void {
    drawAnswer(this.#answer, turn, this.#context);
    watchTables(this.#answer);
    const footer = turn.answer ? answerFooter(turn, turn.answer, this.#context) : progress(turn, this.#context);
    this.#footer.replaceChildren(...footer);
  }
}

export function questionHeading(question: string): HTMLElement {
  return node("div", { class: "asked" }, icon("pilcrow"), node("h3", { dir: "auto" }, question));
}
