/** The widget's icons: stroked paths in a box of 20 by 20. */

const PATHS = {
  check: "M5 10.5l3.5 3.5L15 6",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M8 8h8v8H8zM12 4H4v8",
  more: "M6 8l4 4 4-4",
  pilcrow: "M9 3a4 4 0 0 0 0 8zM9 3h7M9 3v14M13 3v14",
  plus: "M10 4v12M4 10h12",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M7 7h6v6H7z",
  thumb: "M7 9v8H4V9zl3-6c2 0 3 1 2 5h4c2 0 2 1 1 5s-1 4-3 4H7",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGElement {
  const svg = svgElement("svg", "viewBox", "0 0 20 20");
  svg.append(svgElement("path", "d", PATHS[name]));
  svg.ariaHidden = "true";
  return svg;
}

function svgElement(name: string, attribute: string, value: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  element.setAttribute(attribute, value);
  return element;
}
