/** Streams an answer to its end, and reconnects when the connection drops. */

import { pause } from "./pause";
import { parseEvents, type ServerSentEvent } from "./sse";
import { ApiError, ConnectionError, type HttpRequest, type Transport } from "./transport";
import type { AskEvent } from "./types";

/** Delay before each reconnect. A new claim resets the count. */
const RETRY_DELAYS_MS = [500, 1000, 2000];
const MOST_RESTARTS = 3;

/** After a drop, sends the same request with `Last-Event-ID`, so that the server continues from there. */
export async function* streamAnswer(
  transport: Transport,
  request: HttpRequest,
  onDrop?: () => void,
): AsyncGenerator<AskEvent> {
  const position = new StreamPosition();
  for (let attempt = 0; ; attempt++) {
    const claimsBefore = position.claims;
    try {
      for await (const event of parseEvents(transport.stream(position.resume(request)))) {
        yield* position.accept(event);
        // One chunk may hold several events: after an abort the others must not be delivered.
        request.signal?.throwIfAborted();
      }
    } catch (error) {
      if (!position.isDone && !(error instanceof ConnectionError)) throw error;
    }
    if (position.isDone) return;
    if (position.claims > claimsBefore) attempt = 0;
    const delay = RETRY_DELAYS_MS[attempt];
    if (delay === undefined || position.restarts > MOST_RESTARTS) throw await failureReason(transport);
    onDrop?.();
    await pause(delay, request.signal);
  }
}

/** How much of an answer has been received. */
class StreamPosition {
  /** The answer counts as one claim more. */
  claims = 0;
  restarts = 0;
  isDone = false;
  #lastEventId = "";
  #turnId = "";
  #events = 0;

  resume(request: HttpRequest): HttpRequest {
    if (!this.#lastEventId) return request;
    return { ...request, headers: { ...request.headers, "Last-Event-ID": this.#lastEventId } };
  }

  /** Skips what has been received already: a server that cannot resume sends the answer from its beginning. */
  *accept(message: ServerSentEvent): Generator<AskEvent> {
    const event = parseEvent(message);
    if (!event) return;
    const [turnId = "", events, claims] = message.id.split(":");
    if (this.#turnId && turnId !== this.#turnId) yield this.#restart();
    this.#turnId = turnId;
    const isContent = event.type === "claim" || event.type === "answer";
    if (isContent ? Number(claims) <= this.claims : Number(events) <= this.#events) return;
    this.#lastEventId = message.id;
    this.#events = Number(events);
    this.claims = Number(claims);
    this.isDone = event.type === "answer";
    yield event;
  }

  #restart(): AskEvent {
    this.claims = this.#events = 0;
    this.restarts++;
    return { type: "restart" };
  }
}

/** Returns null for an event that only a newer server sends. */
function parseEvent({ event, data }: ServerSentEvent): AskEvent | null {
  switch (event) {
    case "status":
    case "found":
    case "claim":
      return { type: event, ...JSON.parse(data) } as AskEvent;
    case "answer":
      return { type: "answer", answer: JSON.parse(data) };
    case "error":
      throw new ApiError(JSON.parse(data));
    default:
      return null;
  }
}

/** A browser reports a forbidden origin like a lost connection, so the difference is found by a request of our own. */
async function failureReason(transport: Transport): Promise<Error> {
  if (transport.hasReplied || !(await transport.isAlive())) return new ConnectionError();
  return new ApiError({ status: 403, code: "forbidden", detail: "The server is there, but this page may not ask it." });
}
