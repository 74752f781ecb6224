/** The typed client of a Glossator server, for the widget and for pages that people build themselves. */

import { Line, LineDropped, type LineOptions, type Sent } from "./line";
import { listen } from "./listen";
import { randomName } from "./name";
import type { AskEvent, Asking, AskReply, Filters, SearchReply, SessionProof, SessionReply } from "./told";

export { LineDropped, Refused } from "./line";
export type * from "./told";
export type ClientOptions = LineOptions;

export interface AskOptions {
  /** Aborting it stops the answer, on the server too. */
  readonly signal?: AbortSignal | undefined;
  /** Told at each drop of the line, before it is taken up again. */
  readonly onDrop?: (() => void) | undefined;
  /** However often the same asking is sent under one name, it is asked once; a random name where there is none. */
  readonly name?: string | undefined;
}

export interface SearchOptions {
  readonly top_k?: number | undefined;
  readonly threshold?: number | undefined;
  readonly filters?: Filters | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Glossator {
  readonly #line: Line;

  constructor(options: ClientOptions) {
    this.#line = new Line(options);
  }

  /** The answer as it is made, sentence by sentence. Leaving the loop stops it. */
  ask(asking: Asking, { signal, onDrop, name = randomName() }: AskOptions = {}): AsyncGenerator<AskEvent> {
    const headers = { Accept: "text/event-stream", "Idempotency-Key": name };
    return listen(this.#line, { ...posted("/ask", asking), headers, signal }, onDrop);
  }

  /** The answer when it is whole. */
  async answer(asking: Asking, options: AskOptions = {}): Promise<AskReply> {
    for await (const event of this.ask(asking, options)) if (event.type === "answer") return event.answer;
    throw new LineDropped();
  }

  /** Places of the book, with no answer. A publishable key may not do this. */
  search(q: string, { top_k, threshold, filters, signal }: SearchOptions = {}): Promise<SearchReply> {
    const query = new URLSearchParams({ q });
    for (const [name, value] of Object.entries({ top_k, threshold, ...filters })) {
      for (const one of [value ?? []].flat()) query.append(name, String(one));
    }
    return this.#line.json({ path: `/search?${query}`, signal });
  }

  /** A conversation, oldest exchange first, with a fresh token. */
  session(proof: SessionProof, signal?: AbortSignal): Promise<SessionReply> {
    return this.#line.json({ ...proven(proof), signal });
  }

  /** Deletes a conversation on the server. */
  forget(proof: SessionProof): Promise<void> {
    return this.#line.json({ ...proven(proof), method: "DELETE" });
  }

  /** Whether an answer helped; said again, it replaces what was said. */
  judge(exchange_id: string, helpful: boolean, reason = "", session?: SessionProof | null): Promise<void> {
    return this.#line.json(posted("/feedback", { exchange_id, helpful, reason, session }));
  }
}

function posted(path: string, body: object): Sent {
  return { path, method: "POST", body: JSON.stringify(body) };
}

function proven({ id, token }: SessionProof): Sent {
  return { path: `/sessions/${encodeURIComponent(id)}`, headers: token ? { "X-Glossator-Session": token } : {} };
}
