/** Hears an answer to its end, over a line that may drop anywhere. */

import { type Line, LineDropped, Refused, type Sent } from "./line";
import { pause } from "./pause";
import { type SentEvent, sentEvents } from "./sse";
import type { AskEvent } from "./told";

/** Milliseconds before each try to take the line up again; a new sentence makes all of them good again. */
const PAUSES = [500, 1000, 2000];
const MOST_RESTARTS = 3;

/** The same request is sent again after a drop, and says where it was: the server goes on from there. */
export async function* listen(line: Line, sent: Sent, onDrop?: () => void): AsyncGenerator<AskEvent> {
  const place = new Place();
  for (let tries = 0; ; tries++) {
    const before = place.told;
    try {
      for await (const told of sentEvents(line.stream(place.resumed(sent)))) {
        yield* place.news(told);
        // Several events may have come at once: who stopped does not want the others.
        sent.signal?.throwIfAborted();
      }
    } catch (error) {
      if (!place.isAtEnd && !(error instanceof LineDropped)) throw error;
    }
    if (place.isAtEnd) return;
    if (place.told > before) tries = 0;
    const milliseconds = PAUSES[tries];
    if (milliseconds === undefined || place.restarts > MOST_RESTARTS) throw await reasonOf(line);
    onDrop?.();
    await pause(milliseconds, sent.signal);
  }
}

/** How far an answer was heard. */
class Place {
  /** Sentences, and the answer after them. */
  told = 0;
  restarts = 0;
  isAtEnd = false;
  #id = "";
  #turn = "";
  #events = 0;

  resumed(sent: Sent): Sent {
    return this.#id ? { ...sent, headers: { ...sent.headers, "Last-Event-ID": this.#id } } : sent;
  }

  /** Where the server could not go on from our place it begins again: what we have is passed over. */
  *news(sent: SentEvent): Generator<AskEvent> {
    const event = eventOf(sent);
    if (!event) return;
    const [turn = "", events, told] = sent.id.split(":");
    if (this.#turn && turn !== this.#turn) yield this.#restart();
    this.#turn = turn;
    const isTold = event.type === "claim" || event.type === "answer";
    if (isTold ? Number(told) <= this.told : Number(events) <= this.#events) return;
    this.#id = sent.id;
    this.#events = Number(events);
    this.told = Number(told);
    this.isAtEnd = event.type === "answer";
    yield event;
  }

  #restart(): AskEvent {
    this.told = this.#events = 0;
    this.restarts++;
    return { type: "restart" };
  }
}

/** Nothing for a kind that only a newer server knows. */
function eventOf({ event, data }: SentEvent): AskEvent | null {
  switch (event) {
    case "status":
    case "found":
    case "claim":
      return { type: event, ...JSON.parse(data) } as AskEvent;
    case "answer":
      return { type: "answer", answer: JSON.parse(data) };
    case "error":
      throw new Refused(JSON.parse(data));
    default:
      return null;
  }
}

/** A browser does not tell a page that may not ask from one that is offline; so we look ourselves. */
async function reasonOf(line: Line): Promise<Error> {
  if (line.hasReplied || !(await line.isAlive())) return new LineDropped();
  return new Refused({ status: 403, code: "forbidden", detail: "The server is there, but this page may not ask it." });
}
