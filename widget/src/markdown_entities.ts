/** Characters that were written by name or number. */

const NAMED = new Map(
  Object.entries({
    amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", deg: "°", times: "×",
    middot: "·", hellip: "…", ndash: "–", mdash: "—", larr: "←", rarr: "→", le: "≤", ge: "≥", ne: "≠",
  }),
);

/** One that nobody knows stays as it is written. */
export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,31}));/g, (whole, decimal, hexadecimal, name) => {
    if (name) return NAMED.get(name) ?? whole;
    const code = decimal ? Number(decimal) : parseInt(hexadecimal, 16);
    return code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
