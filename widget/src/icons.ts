/** The few signs of the widget, stroked on a square of twenty. */

const SIGNS = {
  anew: "M10 4v12M4 10h12",
  check: "M5 10.5l3.5 3.5L15 6",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M8 8h8v8H8zM12 4H4v8",
  more: "M6 8l4 4 4-4",
  paraph: "M9 3a4 4 0 0 0 0 8zM9 3h7M9 3v14M13 3v14",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M7 7h6v6H7z",
  thumb: "M7 9v8H4V9zl3-6c2 0 3 1 2 5h4c2 0 2 1 1 5s-1 4-3 4H7",
} as const;

export type Sign = keyof typeof SIGNS;

export function icon(sign: Sign): SVGElement {
  const svg = draw("svg", "viewBox", "0 0 20 20");
  svg.append(draw("path", "d", SIGNS[sign]));
  svg.ariaHidden = "true";
  return svg;
}

function draw(name: string, attribute: string, value: string): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  made.setAttribute(attribute, value);
  return made;
}
