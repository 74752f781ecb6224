/** A conversation: asks one question at a time and holds the turns. It draws nothing. */

import type { Glossator } from "./client";
import { failureFrom, isNotFound, retryDelay } from "./failure";
import { pause } from "./pause";
import { randomId } from "./random_id";
import { TurnReducer } from "./reducer";
import type { ChatStorage } from "./storage";
import { newTurn, requestOf, restoredTurn, type SelectedText, type Turn, withoutControlCharacters } from "./turn";
import type { AskEvent, AskRequest, Questions, SessionProof } from "./types";

export type { Failure, FailureKind } from "./failure";
export type { SelectedText, Turn, TurnState } from "./turn";

export interface ChatEvents {
  /** Draw this turn again, or the whole list when it is null. */
  readonly change: CustomEvent<{ readonly turn: Turn | null }>;
  readonly sentence: CustomEvent<{ readonly text: string }>;
  readonly end: CustomEvent<{ readonly turn: Turn }>;
}

export interface Chat {
  addEventListener<Name extends keyof ChatEvents>(
    name: Name,
    listener: (event: ChatEvents[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(...args: Parameters<EventTarget["addEventListener"]>): void;
}

/** What is sent for a turn. A retry sends the same again, so that the server answers the question once. */
interface TurnRequest {
  readonly body: AskRequest;
  readonly idempotencyKey: string;
}

const MOST_QUEUED = 3;
const MOST_RETRIES = 3;
const RESTORE_TIMEOUT_MS = 10_000;

export class Chat extends EventTarget {
  readonly #client: Glossator;
  readonly #storage: ChatStorage;
  readonly #remember: boolean;
  readonly #requests = new Map<number, TurnRequest>();
  #turns: readonly Turn[] = [];
  #lastKey = 0;
  #session: SessionProof | null;
  #running: AbortController | null = null;
  #restoring: AbortController | null = null;
  #former: { readonly session: SessionProof | null; readonly turns: readonly Turn[] } | null = null;

  constructor(client: Glossator, storage: ChatStorage, options: { readonly remember: boolean }) {
    super();
    this.#client = client;
    this.#storage = storage;
    this.#remember = options.remember;
    this.#session = storage.read()?.session ?? null;
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get canAsk(): boolean {
    return this.#turns.filter(({ state }) => state === "queued").length < MOST_QUEUED;
  }

  /** Returns false when the question is empty or the queue is full. */
  ask(question: string, selection: SelectedText | null): boolean {
    const text = withoutControlCharacters(question).trim();
    if (!text || !this.canAsk) return false;
    this.#setTurns([...this.#turns, newTurn(++this.#lastKey, text, selection)]);
    this.#runNext();
    return true;
  }

  /** Stops the question that is being asked; the claims received so far stay. */
  stop(): void {
    this.#running?.abort();
  }

  /** Asks a failed or stopped question again, or a waiting one at once. */
  retry(key: number): void {
    const state = this.#turn(key)?.state;
    if (state === "waiting") this.stop();
    else if (state !== "failed" && state !== "stopped") return;
    this.#updateTurn(key, { state: "queued", failure: null });
    this.#runNext();
  }

  /** Removes a question from the queue. */
  cancel(key: number): void {
    this.#setTurns(this.#turns.filter((turn) => turn.key !== key || turn.state !== "queued"));
  }

  /** Starts a new conversation; `goBack` returns to the old one until the page is left. */
  clear(): void {
    this.#former = { session: this.#session, turns: this.#turns.filter(({ answer }) => answer) };
    this.#reset();
  }

  get canGoBack(): boolean {
    return !this.#turns.length && !!this.#former?.turns.length;
  }

  goBack(): void {
    if (!this.#former) return;
    this.#setSession(this.#former.session);
    this.#setTurns(this.#former.turns);
    this.#former = null;
  }

  /** Starts a new conversation and forgets the old one. */
  forget(): void {
    this.#reset();
    this.#former = null;
  }

  /** The book's title, and questions to suggest: to begin with, or after an answer that cites this chunk. */
  async suggest(after?: string): Promise<Questions> {
    try {
      return await this.#client.questions(after);
    } catch {
      // Nobody asked for them, so nobody misses them.
      return { book: "", questions: [] };
    }
  }

  #reset(): void {
    this.#running?.abort();
    this.#restoring?.abort();
    this.#running = this.#restoring = null;
    this.#requests.clear();
    this.#setSession(null);
    this.#setTurns([]);
  }

  /** Shows the feedback at once, and takes it back when the server rejects it. */
  async sendFeedback(key: number, helpful: boolean, reason: string): Promise<void> {
    const { answer, helpful: previous = null } = this.#turn(key) ?? {};
    if (!answer) return;
    this.#updateTurn(key, { helpful });
    try {
      await this.#client.sendFeedback(answer.id, helpful, reason, this.#latestSession());
    } catch (error) {
      this.#updateTurn(key, { helpful: previous });
      throw error;
    }
  }

  /** Loads the conversation of the last visit; questions that are asked meanwhile wait for it. */
  async restore(): Promise<void> {
    const session = this.#latestSession();
    if (!session) return;
    const restoring = (this.#restoring = new AbortController());
    const timer = setTimeout(() => restoring.abort(), RESTORE_TIMEOUT_MS);
    try {
      await this.#loadSession(session, restoring.signal);
    } catch (error) {
      // Other failures are temporary: the conversation continues without showing its past.
      if (isNotFound(error)) this.#setSession(null);
    }
    clearTimeout(timer);
    if (this.#restoring !== restoring) return;
    this.#restoring = null;
    this.#runNext();
  }

  async #loadSession(session: SessionProof, signal: AbortSignal): Promise<void> {
    const { id, token, exchanges } = await this.#client.getSession(session, signal);
    if (signal.aborted) return;
    this.#setSession({ id, token });
    this.#setTurns([...exchanges.map((exchange) => restoredTurn(++this.#lastKey, exchange)), ...this.#turns]);
  }

  #runNext(): void {
    const next = this.#turns.find(({ state }) => state === "queued");
    if (next && !this.#running && !this.#restoring) void this.#runTurn(next);
  }

  async #runTurn(turn: Turn): Promise<void> {
    const running = (this.#running = new AbortController());
    try {
      await this.#askWithRetries(turn, running.signal);
    } catch (error) {
      this.#fail(turn.key, error, running.signal);
    }
    if (this.#running !== running) return;
    this.#running = null;
    const ended = this.#turn(turn.key);
    if (ended && ended.state !== "queued") this.#dispatch("end", { turn: ended });
    this.#runNext();
  }

  async #askWithRetries(turn: Turn, signal: AbortSignal): Promise<void> {
    for (let retries = 0; ; ) {
      try {
        return await this.#stream(turn, signal);
      } catch (error) {
        if (isNotFound(error) && this.#dropExpiredSession(turn.key)) continue;
        const seconds = retryDelay(error);
        if (seconds === null || retries++ === MOST_RETRIES) throw error;
        const failure = failureFrom(error, Date.now() + seconds * 1000);
        this.#updateTurn(turn.key, { state: "waiting", stage: null, failure });
        await pause(seconds * 1000, signal);
      }
    }
  }

  async #stream(turn: Turn, signal: AbortSignal): Promise<void> {
    const { body, idempotencyKey } = this.#requestFor(turn);
    const reducer = new TurnReducer();
    const onDrop = (): void => this.#updateTurn(turn.key, { stage: "reconnecting" });
    this.#updateTurn(turn.key, { state: "asking", stage: null, failure: null });
    for await (const event of this.#client.ask(body, { idempotencyKey, signal, onDrop })) {
      signal.throwIfAborted();
      this.#onEvent(turn.key, event, reducer);
    }
  }

  #onEvent(key: number, event: AskEvent, reducer: TurnReducer): void {
    const turn = this.#turn(key);
    if (!turn) return;
    const session = event.type === "answer" ? event.answer.session : event.type === "status" ? event.session : null;
    if (session) this.#setSession(session);
    const change = reducer.reduce(event, turn);
    this.#updateTurn(key, change);
    const isNew = event.type === "claim" && change.claims !== turn.claims;
    if (isNew) this.#dispatch("sentence", { text: event.text.trim() });
    if (event.type === "answer" && !change.claims?.length) this.#dispatch("sentence", { text: event.answer.text });
  }

  /** An aborted turn was stopped by the reader, unless `retry` has queued it again. */
  #fail(key: number, error: unknown, signal: AbortSignal): void {
    if (!signal.aborted) this.#updateTurn(key, { state: "failed", stage: null, failure: failureFrom(error) });
    else if (this.#turn(key)?.state !== "queued") {
      this.#updateTurn(key, { state: "stopped", stage: null, failure: null });
    }
  }

  #requestFor(turn: Turn): TurnRequest {
    const body = { ...requestOf(turn), session: this.#latestSession(), remember: this.#remember };
    const request = this.#requests.get(turn.key) ?? { body, idempotencyKey: randomId() };
    this.#requests.set(turn.key, request);
    return request;
  }

  /**
   * Lets the turn be asked with the latest token, or in a new session when the latest one has expired.
   * Returns false when the turn had no session.
   */
  #dropExpiredSession(key: number): boolean {
    const expired = this.#requests.get(key)?.body.session;
    const latest = this.#latestSession();
    if (!expired) return false;
    if (latest?.id === expired.id && latest.token === expired.token) this.#setSession(null);
    return this.#requests.delete(key);
  }

  /** Another tab may have stored a newer token of the same session. */
  #latestSession(): SessionProof | null {
    const stored = this.#storage.read()?.session;
    if (stored && stored.id === this.#session?.id) this.#session = stored;
    return this.#session;
  }

  #setSession(session: SessionProof | null): void {
    this.#session = session;
    this.#storage.write({ session });
  }

  #turn(key: number): Turn | undefined {
    return this.#turns.find((turn) => turn.key === key);
  }

  #updateTurn(key: number, change: Partial<Turn>): void {
    const before = this.#turn(key);
    if (!before) return;
    const turn = { ...before, ...change };
    this.#turns = this.#turns.map((other) => (other === before ? turn : other));
    this.#dispatch("change", { turn });
  }

  #setTurns(turns: readonly Turn[]): void {
    this.#turns = turns;
    this.#dispatch("change", { turn: null });
  }

  #dispatch<Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
