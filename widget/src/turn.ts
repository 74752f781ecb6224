/** One question and what became of it. */

import { drawAnswer } from "./answer";
import type { Turn } from "./chat";
import { conclude } from "./conclusion";
import { showJudged } from "./feedback";
import { icon } from "./icons";
import { node, note, quote } from "./node";
import type { Preview } from "./preview";
import { progress } from "./progress";
import type { Scene } from "./scene";

export class TurnView {
  readonly node = node("article");
  readonly #scene: Scene;
  readonly #answer = node("div", { class: "answer", dir: "auto" });
  readonly #foot = node("div", { class: "foot" });
  #turn: Turn | null = null;

  constructor(turn: Turn, scene: Scene, preview: Preview) {
    this.#scene = scene;
    const { selection } = turn;
    if (selection?.only) this.node.append(note(scene.words.thisOnly));
    if (selection) this.node.append(quote(selection.text));
    this.node.append(asked(turn.question), this.#answer, this.#foot);
    preview.watch(this.#answer, ({ dataset }) =>
      this.#turn?.answer?.citations.find(({ n }) => `${n}` === dataset["n"]),
    );
    this.draw(turn);
  }

  draw(turn: Turn): void {
    const last = this.#turn;
    this.#turn = turn;
    if (turn === last) return;
    this.node.className = `turn ${turn.answer?.outcome ?? turn.state}`;
    if (!turn.answer || turn.answer !== last?.answer) this.#drawAll(turn);
    showJudged(this.#foot, turn);
  }

  #drawAll(turn: Turn): void {
    drawAnswer(this.#answer, turn, this.#scene);
    const foot = turn.answer ? conclude(turn, turn.answer, this.#scene) : progress(turn, this.#scene);
    this.#foot.replaceChildren(...foot);
  }
}

/** With the sign that rubricators set before what begins. */
export function asked(question: string): HTMLElement {
  return node("div", { class: "asked" }, icon("paraph"), node("h3", { dir: "auto" }, question));
}
