/** Requests to the server and what comes back; what is no reply becomes one of two errors. */

import type { Problem } from "./told";

/** A problem of ours, or as much of one as something in between can tell. */
interface Refusal {
  readonly status: number;
  readonly code: Problem["code"] | "unknown";
  readonly detail: string;
  readonly retryable?: boolean;
  readonly retry_after?: number | null;
  readonly trace_id?: string | null;
}

/** What the server said no with, at once or in the middle of an answer. */
export class Refused extends Error {
  declare readonly status: number;
  declare readonly code: Refusal["code"];
  declare readonly retryable: boolean;
  /** Seconds. */
  declare readonly retryAfter: number | null;
  declare readonly traceId: string | null;

  constructor({ status, code, detail, retryable = false, retry_after = null, trace_id = null }: Refusal) {
    super(detail);
    Object.assign(this, { name: "Refused", status, code, retryable, retryAfter: retry_after, traceId: trace_id });
  }
}

/** There was no reply, or it ended too early, and coming back did not help. */
export class LineDropped extends Error {
  override readonly name = "LineDropped";

  constructor() {
    super("The line to the server dropped.");
  }
}

export interface LineOptions {
  /** Where it is served, such as `https://ask.book.example`. */
  readonly server: string;
  /** A publishable key; none where the server is open. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** How long a line may be silent before it counts as dropped; a server that answers says so every 15. */
  readonly silenceSeconds?: number | undefined;
}

export interface Sent {
  readonly path: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

const SILENCE_SECONDS = 45;

export class Line {
  /** Then this page may read what it says. */
  hasReplied = false;
  readonly #options: LineOptions;

  constructor(options: LineOptions) {
    this.#options = { ...options, server: options.server.replace(/\/+$/, "") };
  }

  /** The whole reply; undefined where it is empty. */
  async json<Reply>(sent: Sent): Promise<Reply> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.stream(sent)) text += decoder.decode(chunk, { stream: true });
    return (text ? JSON.parse(text) : undefined) as Reply;
  }

  /** The reply as it comes. Who stops listening ends the request. */
  async *stream(sent: Sent): AsyncGenerator<Uint8Array> {
    const leash = leashOf(sent.signal, this.#options.silenceSeconds ?? SILENCE_SECONDS);
    try {
      const response = await this.#fetch(sent, leash.signal);
      this.hasReplied = true;
      if (!response.ok) throw await refusalOf(response);
      for await (const chunk of chunksOf(response)) {
        leash.renew();
        yield chunk;
        // Not every runtime wakes up a reader who begins to wait after the end.
        leash.signal.throwIfAborted();
      }
    } catch (error) {
      if (sent.signal?.aborted) throw sent.signal.reason;
      if (error instanceof Refused) throw error;
      throw new LineDropped();
    } finally {
      leash.end();
    }
  }

  /** Whether anything answers there, also where this page may not read what it says. */
  async isAlive(): Promise<boolean> {
    try {
      await this.#call("/livez", { mode: "no-cors" });
      return true;
    } catch {
      return false;
    }
  }

  #fetch({ path, method = "GET", headers, body }: Sent, signal: AbortSignal): Promise<Response> {
    const { key } = this.#options;
    return this.#call(`/v1${path}`, {
      method,
      signal,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(body && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body && { body }),
    });
  }

  #call(path: string, init: RequestInit): Promise<Response> {
    const { server, fetch: call = fetch } = this.#options;
    return call(server + path, { cache: "no-store", ...init });
  }
}

/** Ends a request when whoever sent it wants so, and when nothing was heard of it for too long. */
function leashOf(outer: AbortSignal | undefined, seconds: number) {
  const controller = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  const wait = () => setTimeout(end, seconds * 1000);
  let timer = wait();
  const renew = (): void => {
    clearTimeout(timer);
    timer = wait();
  };
  return { signal: AbortSignal.any([controller.signal, ...(outer ? [outer] : [])]), renew, end };
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) yield next.value;
}

/** Also of what a proxy in between says, which knows nothing of our errors. */
async function refusalOf(response: Response): Promise<Refused> {
  const { status, headers } = response;
  const problem = (await response.json().catch(() => null)) as Partial<Problem> | null;
  if (problem?.code) return new Refused(problem as Problem);
  return new Refused({
    status,
    code: "unknown",
    detail: `The server answered ${status}.`,
    retryable: [429, 502, 503, 504].includes(status),
    retry_after: Number(headers.get("Retry-After")) || null,
  });
}
