/** What is kept between the pages of a site: a little, or nothing at all. */

import type { SessionProof } from "./told";

export interface Kept {
  readonly session: SessionProof | null;
  readonly isOpen: boolean;
  readonly draft: string;
}

export interface Memory {
  read(): Kept | null;
  /** Only what is named changes, so that two who write do not undo each other. */
  write(kept: Partial<Kept>): void;
}

/** In the browser's storage, where the site's other pages and tabs find it; nothing where that is forbidden. */
export function localMemory(server: string): Memory {
  const name = `glossator:${server}`;
  const read = (): Kept | null => quietly(() => JSON.parse(localStorage.getItem(name) ?? "null"));
  return {
    read,
    write: (kept) => void quietly(() => localStorage.setItem(name, JSON.stringify({ ...NOTHING, ...read(), ...kept }))),
  };
}

/** Touches no storage, not even to look. */
export function noMemory(): Memory {
  return { read: () => null, write: () => {} };
}

const NOTHING: Kept = { session: null, isOpen: false, draft: "" };

/** Storage may be full, blocked, or not there at all. */
function quietly<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch {
    return null;
  }
}
