/** A conversation: questions one after the other, and what became of each. Nothing in here draws. */

import type { Glossator } from "./client";
import { askingOf, type MarkedText, newTurn, readable, restoredTurn, type Turn } from "./exchange";
import { failureOf, isUnknown, waitOf } from "./failure";
import { Hearing } from "./hearing";
import type { Memory } from "./memory";
import { randomName } from "./name";
import { pause } from "./pause";
import type { AskEvent, Asking, SessionProof } from "./told";

export type { MarkedText, Turn, TurnState } from "./exchange";
export type { Failure, FailureKind } from "./failure";

export interface ChatEvents {
  /** Something is to be drawn again: that turn, or the list where it is null. */
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
  addEventListener(...listening: Parameters<EventTarget["addEventListener"]>): void;
}

/** What is sent for a turn: the same whenever it is sent again, so that it is never asked twice. */
interface Sending {
  readonly asking: Asking;
  readonly name: string;
}

const MOST_QUEUED = 3;
const MOST_RETRIES = 3;
const RESTORE_MILLISECONDS = 10_000;

export class Chat extends EventTarget {
  readonly #client: Glossator;
  readonly #memory: Memory;
  readonly #remember: boolean;
  readonly #sendings = new Map<number, Sending>();
  #turns: readonly Turn[] = [];
  #lastKey = 0;
  #session: SessionProof | null;
  #running: AbortController | null = null;
  #restoring: AbortController | null = null;

  constructor(client: Glossator, memory: Memory, options: { readonly remember: boolean }) {
    super();
    this.#client = client;
    this.#memory = memory;
    this.#remember = options.remember;
    this.#session = memory.read()?.session ?? null;
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get canAsk(): boolean {
    return this.#turns.filter(({ state }) => state === "queued").length < MOST_QUEUED;
  }

  /** False where it was not taken. */
  ask(question: string, selection: MarkedText | null): boolean {
    const text = readable(question).trim();
    if (!text || !this.canAsk) return false;
    this.#list([...this.#turns, newTurn(++this.#lastKey, text, selection)]);
    this.#next();
    return true;
  }

  /** The question that is being asked; what was told of its answer stays. */
  stop(): void {
    this.#running?.abort();
  }

  /** Asks again what failed or was stopped, and at once what waits. */
  retry(key: number): void {
    const state = this.#turn(key)?.state;
    if (state === "waiting") this.stop();
    else if (state !== "failed" && state !== "stopped") return;
    this.#change(key, { state: "queued", failure: null });
    this.#next();
  }

  /** Takes back a question that was not asked yet. */
  drop(key: number): void {
    this.#list(this.#turns.filter((turn) => turn.key !== key || turn.state !== "queued"));
  }

  /** Begins a new conversation; nothing here knows of the old one any more. */
  clear(): void {
    this.#running?.abort();
    this.#restoring?.abort();
    this.#running = this.#restoring = null;
    this.#sendings.clear();
    this.#keep(null);
    this.#list([]);
  }

  /** Shown at once, and taken back where the server does not take it. */
  async judge(key: number, helpful: boolean, reason: string): Promise<void> {
    const { answer, judged = null } = this.#turn(key) ?? {};
    if (!answer) return;
    this.#change(key, { judged: helpful });
    try {
      await this.#client.judge(answer.id, helpful, reason, this.#newest());
    } catch (error) {
      this.#change(key, { judged });
      throw error;
    }
  }

  /** Shows what was said before; questions that come meanwhile wait for it. */
  async restore(): Promise<void> {
    const proof = this.#newest();
    if (!proof) return;
    const restoring = (this.#restoring = new AbortController());
    const timer = setTimeout(() => restoring.abort(), RESTORE_MILLISECONDS);
    try {
      await this.#read(proof, restoring.signal);
    } catch (error) {
      // Any other failure passes: the conversation goes on, though its past is not shown now.
      if (isUnknown(error)) this.#keep(null);
    }
    clearTimeout(timer);
    if (this.#restoring !== restoring) return;
    this.#restoring = null;
    this.#next();
  }

  async #read(proof: SessionProof, signal: AbortSignal): Promise<void> {
    const { id, token, exchanges } = await this.#client.session(proof, signal);
    if (signal.aborted) return;
    this.#keep({ id, token });
    this.#list([...exchanges.map((one) => restoredTurn(++this.#lastKey, one)), ...this.#turns]);
  }

  #next(): void {
    const next = this.#turns.find(({ state }) => state === "queued");
    if (next && !this.#running && !this.#restoring) void this.#run(next);
  }

  async #run(turn: Turn): Promise<void> {
    const running = (this.#running = new AbortController());
    try {
      await this.#persist(turn, running.signal);
    } catch (error) {
      this.#fail(turn.key, error, running.signal);
    }
    if (this.#running !== running) return;
    this.#running = null;
    const ended = this.#turn(turn.key);
    if (ended && ended.state !== "queued") this.#tell("end", { turn: ended });
    this.#next();
  }

  /** Until it is answered, while there is reason to hope. */
  async #persist(turn: Turn, signal: AbortSignal): Promise<void> {
    for (let retries = 0; ; ) {
      try {
        return await this.#hear(turn, signal);
      } catch (error) {
        if (isUnknown(error) && this.#leaveSession(turn.key)) continue;
        const seconds = waitOf(error);
        if (seconds === null || retries++ === MOST_RETRIES) throw error;
        const failure = failureOf(error, Date.now() + seconds * 1000);
        this.#change(turn.key, { state: "waiting", stage: null, failure });
        await pause(seconds * 1000, signal);
      }
    }
  }

  async #hear(turn: Turn, signal: AbortSignal): Promise<void> {
    const { asking, name } = this.#sending(turn);
    const hearing = new Hearing();
    const onDrop = (): void => this.#change(turn.key, { stage: "reconnecting" });
    this.#change(turn.key, { state: "asking", stage: null, failure: null });
    for await (const event of this.#client.ask(asking, { name, signal, onDrop })) {
      signal.throwIfAborted();
      this.#heard(turn.key, event, hearing);
    }
  }

  #heard(key: number, event: AskEvent, hearing: Hearing): void {
    const before = this.#turn(key);
    if (!before) return;
    const session = event.type === "answer" ? event.answer.session : event.type === "status" ? event.session : null;
    if (session) this.#keep(session);
    const changed = hearing.of(event, before);
    this.#change(key, changed);
    if (event.type === "claim" && changed.claims !== before.claims) this.#tell("sentence", { text: event.text.trim() });
    if (event.type === "answer" && !changed.claims?.length) this.#tell("sentence", { text: event.answer.text });
  }

  /** By itself; or it was stopped, or is to be asked once more. */
  #fail(key: number, error: unknown, signal: AbortSignal): void {
    if (!signal.aborted) this.#change(key, { state: "failed", stage: null, failure: failureOf(error) });
    else if (this.#turn(key)?.state !== "queued") this.#change(key, { state: "stopped", stage: null, failure: null });
  }

  #sending(turn: Turn): Sending {
    const asking = { ...askingOf(turn), session: this.#newest(), remember: this.#remember };
    const sending = this.#sendings.get(turn.key) ?? { asking, name: randomName() };
    this.#sendings.set(turn.key, sending);
    return sending;
  }

  /** For the newest proof of the session that has run out, or else for a new one; false where there was none. */
  #leaveSession(key: number): boolean {
    const left = this.#sendings.get(key)?.asking.session;
    const newest = this.#newest();
    if (!left) return false;
    if (newest?.id === left.id && newest.token === left.token) this.#keep(null);
    return this.#sendings.delete(key);
  }

  /** Another tab may have a newer token of the same session. */
  #newest(): SessionProof | null {
    const kept = this.#memory.read()?.session;
    if (kept && kept.id === this.#session?.id) this.#session = kept;
    return this.#session;
  }

  #keep(session: SessionProof | null): void {
    this.#session = session;
    this.#memory.write({ session });
  }

  #turn(key: number): Turn | undefined {
    return this.#turns.find((turn) => turn.key === key);
  }

  #change(key: number, changed: Partial<Turn>): void {
    const before = this.#turn(key);
    if (!before) return;
    const turn = { ...before, ...changed };
    this.#turns = this.#turns.map((one) => (one === before ? turn : one));
    this.#tell("change", { turn });
  }

  #list(turns: readonly Turn[]): void {
    this.#turns = turns;
    this.#tell("change", { turn: null });
  }

  #tell<Name extends keyof ChatEvents>(name: Name, detail: ChatEvents[Name]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
