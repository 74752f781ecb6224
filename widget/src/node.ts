/** Elements in one breath: what they are, how they look and behave, what stands in them. */

import { icon, type Sign } from "./icons";

type Listener = (event: never) => unknown;

/** A function listens to the event of its name; `true` sets an attribute, `false` leaves it out. */
export type Traits = Readonly<Record<string, string | number | boolean | Listener>>;

export type Child = Node | string | false;

export function node<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  traits: Traits = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  give(made, traits);
  made.append(...children.filter((child) => child !== false));
  return made;
}

export function give(target: Element, traits: Traits): void {
  for (const [name, value] of Object.entries(traits)) {
    if (typeof value === "function") target.addEventListener(name, value as EventListener);
    else if (typeof value === "boolean") target.toggleAttribute(name, value);
    else target.setAttribute(name, `${value}`);
  }
}

/** A button of words. */
export function button(label: string, click: Listener, traits: Traits = {}): HTMLButtonElement {
  return node("button", { class: "plain", type: "button", click, ...traits }, label);
}

/** A button that is a sign; its words are for who points at it or hears it. */
export function tool(label: string, sign: Sign, click: Listener, traits: Traits = {}): HTMLButtonElement {
  return node(
    "button",
    { class: "tool", type: "button", "aria-label": label, title: label, click, ...traits },
    icon(sign),
  );
}

/** A small paragraph. */
export function note(...children: readonly Child[]): HTMLElement {
  return node("p", { class: "small" }, ...children);
}

/** The book's own words; they keep their own direction. */
export function quote(...children: readonly Child[]): HTMLElement {
  return node("blockquote", { dir: "auto" }, ...children);
}
