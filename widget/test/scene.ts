/** What the tests have: the servers that were started for them, a page's storage, and how to wait. */

import type { Chat, Turn } from "../src/chat";
import { type AskEvent, Glossator } from "../src/client";

export const QUESTION = "What is a topic?";
const PATIENCE_MILLISECONDS = 30_000;

/** The address of one of the servers, or something else that the test run was told. */
export function given(name: string): string {
  const value = process.env[`WIDGET_${name}`];
  if (!value) throw new Error(`WIDGET_${name} is not set: these tests are started by pytest`);
  return value;
}

export function open(server = given("OPEN")): Glossator {
  return new Glossator({ server });
}

/** As a page of the book has it: with a key that everybody can read, and the origin that a browser adds. */
export function keyed(server = given("KEYED"), key = given("KEY")): Glossator {
  return new Glossator({ server, key, fetch: fromThePage });
}

const fromThePage: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set("Origin", "https://book.example");
  return fetch(url, { ...init, headers });
};

export async function all(events: AsyncIterable<AskEvent>): Promise<AskEvent[]> {
  const heard: AskEvent[] = [];
  for await (const event of events) heard.push(event);
  return heard;
}

/** What can be compared between two answers to the same question. */
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

const NAMES = ["change", "sentence", "end"] as const;

/** The turn, as soon as it is what a test waits for. */
export function until(chat: Chat, is: (turn: Turn) => boolean): Promise<Turn> {
  return soon(chat, () => chat.turns.find(is));
}

export function soon<Value>(chat: Chat, look: () => Value | undefined | false): Promise<Value> {
  return new Promise((resolve, reject) => {
    const givenUp = (): void => reject(new Error(`it never came: ${JSON.stringify(chat.turns)}`));
    const timer = setTimeout(givenUp, PATIENCE_MILLISECONDS);
    const check = (): void => {
      const value = look();
      if (!value) return;
      clearTimeout(timer);
      for (const name of NAMES) chat.removeEventListener(name, check);
      resolve(value);
    };
    for (const name of NAMES) chat.addEventListener(name, check);
    check();
  });
}

/** A page's storage; that of two tabs is the same one. */
export class FakeStorage {
  readonly kept = new Map<string, string>();
  getItem = (name: string): string | null => this.kept.get(name) ?? null;
  setItem = (name: string, value: string): void => void this.kept.set(name, value);
  removeItem = (name: string): void => void this.kept.delete(name);
}

export function withStorage(storage: object): void {
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
}
