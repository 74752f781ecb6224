/** What the browser stores between the pages of a site. */

import type { SessionProof } from "./types";

export interface StoredState {
  readonly session: SessionProof | null;
  readonly isOpen: boolean;
  readonly draft: string;
}

export interface ChatStorage {
  read(): StoredState | null;
  /** Changes only the given fields, so that two tabs do not overwrite each other's. */
  write(change: Partial<StoredState>): void;
}

/** Uses `localStorage`, which all pages and tabs of the site share; stores nothing where that is forbidden. */
export function browserStorage(server: string): ChatStorage {
  const name = `glossator:${server}`;
  const read = (): StoredState | null => orNull(() => JSON.parse(localStorage.getItem(name) ?? "null"));
  return {
    read,
    write: (change) =>
      void orNull(() => localStorage.setItem(name, JSON.stringify({ ...EMPTY, ...read(), ...change }))),
  };
}

/** Never touches the browser's storage, not even to read. */
export function noStorage(): ChatStorage {
  return { read: () => null, write: () => {} };
}

const EMPTY: StoredState = { session: null, isOpen: false, draft: "" };

/** Storage may be full, blocked or missing. */
function orNull<Value>(action: () => Value): Value | null {
  try {
    return action();
  } catch {
    return null;
  }
}
