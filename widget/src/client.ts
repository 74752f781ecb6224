/** The typed client of a Glossator server, for the widget and for pages that people build themselves. */

import { streamAnswer } from "./answer_stream";
import { randomId } from "./random_id";
import { type ClientOptions, ConnectionError, type HttpRequest, Transport } from "./transport";
import type { AskEvent, AskReply, AskRequest, Filters, Questions, SearchReply, SessionProof, SessionReply } from "./types";

export { ApiError, type ClientOptions, ConnectionError } from "./transport";
export type * from "./types";

export interface AskOptions {
  /** Aborting it stops the answer, on the server too. */
  readonly signal?: AbortSignal | undefined;
  /** Called each time the connection drops, before the client reconnects. */
  readonly onDrop?: (() => void) | undefined;
  /** A request that is sent again under the same key is answered once. Random by default. */
  readonly idempotencyKey?: string | undefined;
}

export interface SearchOptions {
  readonly top_k?: number | undefined;
  readonly threshold?: number | undefined;
  readonly filters?: Filters | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Glossator {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Streams the answer sentence by sentence. Leaving the loop stops it. */
  ask(
    request: AskRequest,
    { signal, onDrop, idempotencyKey = randomId() }: AskOptions = {},
  ): AsyncGenerator<AskEvent> {
    const headers = { Accept: "text/event-stream", "Idempotency-Key": idempotencyKey };
    return streamAnswer(this.#transport, { ...postRequest("/ask", request), headers, signal }, onDrop);
  }

  /** Resolves with the whole answer. */
  async answer(request: AskRequest, options: AskOptions = {}): Promise<AskReply> {
    for await (const event of this.ask(request, options)) if (event.type === "answer") return event.answer;
    throw new ConnectionError();
  }

  /** Finds passages of the book and writes no answer. A publishable key does not allow it. */
  search(q: string, { top_k, threshold, filters, signal }: SearchOptions = {}): Promise<SearchReply> {
    const query = new URLSearchParams({ q });
    for (const [name, value] of Object.entries({ top_k, threshold, ...filters })) {
      for (const item of [value ?? []].flat()) query.append(name, String(item));
    }
    return this.#transport.json({ path: `/search?${query}`, signal });
  }

  /** The book's title, and questions that it answers; after an answer, from sections near the chunk that it cites. */
  questions(after?: string): Promise<Questions> {
    return this.#transport.json({ path: after ? `/questions?${new URLSearchParams({ after })}` : "/questions" });
  }

  /** Reads a conversation, oldest exchange first, and renews its token. */
  getSession(session: SessionProof, signal?: AbortSignal): Promise<SessionReply> {
    return this.#transport.json({ ...sessionRequest(session), signal });
  }

  /** Deletes a conversation on the server. */
  deleteSession(session: SessionProof): Promise<void> {
    return this.#transport.json({ ...sessionRequest(session), method: "DELETE" });
  }

  /** Stores whether an answer helped; feedback on the same answer replaces the former. */
  sendFeedback(exchange_id: string, helpful: boolean, reason = "", session?: SessionProof | null): Promise<void> {
    return this.#transport.json(postRequest("/feedback", { exchange_id, helpful, reason, session }));
  }
}

function postRequest(path: string, body: object): HttpRequest {
  return { path, method: "POST", body: JSON.stringify(body) };
}

function sessionRequest({ id, token }: SessionProof): HttpRequest {
  return { path: `/sessions/${encodeURIComponent(id)}`, headers: token ? { "X-Glossator-Session": token } : {} };
}
