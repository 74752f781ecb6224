/** Exports the client and registers the element. */

// First, so that all texts stand together at the beginning of the file, where gzip makes them 400 bytes smaller.
import "./messages";
import { GlossatorChat } from "./element";
import { insertFromScript } from "./script";

export * from "./client";
export { Chat, type Failure, type FailureKind, type SelectedText, type Turn, type TurnState } from "./chat";
export { browserStorage, type ChatStorage, noStorage, type StoredState } from "./storage";
export { GlossatorChat };

const TAG = "glossator-chat";

// A page may load this file twice under different addresses; only the first one is used.
if (globalThis.customElements && !customElements.get(TAG)) {
  customElements.define(TAG, GlossatorChat);
  insertFromScript(TAG);
}
