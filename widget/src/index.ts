/** The widget, and the client it speaks with for pages that people build themselves. */

import { GlossatorChat } from "./element";
import { placeByScript } from "./script";

export * from "./client";
export { Chat, type Failure, type FailureKind, type MarkedText, type Turn, type TurnState } from "./chat";
export { localMemory, noMemory, type Kept, type Memory } from "./memory";
export { GlossatorChat };

const NAME = "glossator-chat";

// The same script under another address comes a second time: the first one stays.
if (globalThis.customElements && !customElements.get(NAME)) {
  customElements.define(NAME, GlossatorChat);
  placeByScript(NAME);
}
