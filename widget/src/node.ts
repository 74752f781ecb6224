/** Creates elements with their attributes, listeners and children in one call. */

import { icon, type IconName } from "./icons";

type Listener = (event: never) => unknown;

/** A function is a listener for the event of that name; `true` sets the attribute, `false` leaves it out. */
export type Attributes = Readonly<Record<string, string | number | boolean | Listener>>;

export type Child = Node | string | false;

export function node<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== false));
  return element;
}

export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") target.addEventListener(name, value as EventListener);
    else if (typeof value === "boolean") target.toggleAttribute(name, value);
    else target.setAttribute(name, `${value}`);
  }
}

export function textButton(label: string, click: Listener, attributes: Attributes = {}): HTMLButtonElement {
  return node("button", { class: "plain", type: "button", click, ...attributes }, label);
}

/** A button with an icon; the label is its tooltip and its accessible name. */
export function iconButton(
  label: string,
  iconName: IconName,
  click: Listener,
  attributes: Attributes = {},
): HTMLButtonElement {
  return node(
    "button",
    { class: "tool", type: "button", "aria-label": label, title: label, click, ...attributes },
    icon(iconName),
  );
}

/** A paragraph in small print. */
export function note(...children: readonly Child[]): HTMLElement {
  return node("p", { class: "small" }, ...children);
}

/** Text of the book; it keeps its own writing direction. */
export function quote(...children: readonly Child[]): HTMLElement {
  return node("blockquote", { dir: "auto" }, ...children);
}
