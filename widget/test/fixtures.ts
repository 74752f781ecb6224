/** The servers that pytest started for the tests, a fake of the browser's storage, and functions that wait. */

import type { Chat, Turn } from "../src/chat";
import { type AskEvent, Glossator } from "../src/client";

export const QUESTION = "What is a topic?";
const TIMEOUT_MS = 30_000;

/** Reads what pytest passes in the environment: a server's address, or its key. */
export function environment(name: string): string {
  const value = process.env[`WIDGET_${name}`];
  if (!value) throw new Error(`WIDGET_${name} is not set: these tests are started by pytest`);
  return value;
}

export function open(server = environment("OPEN")): Glossator {
  return new Glossator({ server });
}

/** A client as on a page of the book: with a publishable key, and the `Origin` header that a browser adds. */
export function keyed(server = environment("KEYED"), key = environment("KEY")): Glossator {
  return new Glossator({ server, key, fetch: fetchFromPage });
}

const fetchFromPage: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set("Origin", "https://book.example");
  return fetch(url, { ...init, headers });
};

export async function all(events: AsyncIterable<AskEvent>): Promise<AskEvent[]> {
  const received: AskEvent[] = [];
  for await (const event of events) received.push(event);
  return received;
}

/** What must be equal in two answers to the same question. */
export function shape(events: readonly AskEvent[]): readonly string[] {
  return events.map((event) => {
    switch (event.type) {
      case "status":
        return event.stage;
      case "claim":
        return event.text;
      case "answer":
        return `answer: ${event.answer.text}`;
      default:
        return event.type;
    }
  });
}

const EVENTS = ["change", "sentence", "end"] as const;

/** Waits for a turn that matches. */
export function untilTurn(chat: Chat, matches: (turn: Turn) => boolean): Promise<Turn> {
  return untilTrue(chat, () => chat.turns.find(matches));
}

export function untilTrue<Value>(chat: Chat, condition: () => Value | undefined | false): Promise<Value> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`timed out: ${JSON.stringify(chat.turns)}`));
    const timer = setTimeout(fail, TIMEOUT_MS);
    const check = (): void => {
      const value = condition();
      if (!value) return;
      clearTimeout(timer);
      for (const name of EVENTS) chat.removeEventListener(name, check);
      resolve(value);
    };
    for (const name of EVENTS) chat.addEventListener(name, check);
    check();
  });
}

/** Two tabs of a site share one of these. */
export class FakeStorage {
  readonly items = new Map<string, string>();
  getItem = (name: string): string | null => this.items.get(name) ?? null;
  setItem = (name: string, value: string): void => void this.items.set(name, value);
  removeItem = (name: string): void => void this.items.delete(name);
}

export function withStorage(storage: object): void {
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
}
