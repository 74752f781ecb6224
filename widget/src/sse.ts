/** Server-sent events, out of bytes that may be cut anywhere. */

export interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** What stands behind the last blank line is left away: it is an event that was cut off. */
export async function* sentEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent> {
  let id = "";
  let event = "";
  let data: string[] = [];
  for await (const line of lines(bytes)) {
    const [, field, value = ""] = FIELD.exec(line) ?? [];
    if (line === "") {
      if (data.length) yield { id, event: event || "message", data: data.join("\n") };
      event = "";
      data = [];
    } else if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
}

/** A name, and what stands behind its colon, without the one blank there; a comment has no name. */
const FIELD = /^([^:]+)(?:: ?(.*))?$/s;

/** Our server ends a line with one character, always the same. */
async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun = "";
  for await (const chunk of bytes) {
    const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
    begun += first;
    for (const next of more) {
      yield begun;
      begun = next;
    }
  }
}
