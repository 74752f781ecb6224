/** Parses server-sent events. */

export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The bytes may be split anywhere. An event without its closing blank line was cut off, and is dropped. */
export async function* parseEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
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

/** A field name and its value, without the one space after the colon. A comment has no field name. */
const FIELD = /^([^:]+)(?:: ?(.*))?$/s;

/** Our server ends every line with "\n" alone. */
async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unfinished = "";
  for await (const chunk of bytes) {
    const [head = "", ...rest] = decoder.decode(chunk, { stream: true }).split("\n");
    unfinished += head;
    for (const line of rest) {
      yield unfinished;
      unfinished = line;
    }
  }
}
