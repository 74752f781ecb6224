/** A name that nobody else has; `crypto.randomUUID` is not there on pages that came over plain HTTP. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}
