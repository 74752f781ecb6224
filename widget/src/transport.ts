/** HTTP requests to the server. Every failure becomes an `ApiError` or a `ConnectionError`. */

import type { Problem } from "./types";

/** The server's problem body, or what is known of an error that a proxy sent. */
interface ErrorBody {
  readonly status: number;
  readonly code: Problem["code"] | "unknown";
  readonly detail: string;
  readonly retryable?: boolean;
  readonly retry_after?: number | null;
  readonly trace_id?: string | null;
}

/** The server rejected the request, or failed in the middle of an answer. */
export class ApiError extends Error {
  declare readonly status: number;
  declare readonly code: ErrorBody["code"];
  declare readonly retryable: boolean;
  /** Seconds. */
  declare readonly retryAfter: number | null;
  declare readonly traceId: string | null;

  constructor({ status, code, detail, retryable = false, retry_after = null, trace_id = null }: ErrorBody) {
    super(detail);
    Object.assign(this, { name: "ApiError", status, code, retryable, retryAfter: retry_after, traceId: trace_id });
  }
}

/** There was no reply, or it ended early, and reconnecting did not help. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  constructor() {
    super("The line to the server dropped.");
  }
}

export interface ClientOptions {
  /** The server's address, such as `https://ask.book.example`. */
  readonly server: string;
  /** An API key; an open server needs none. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** A silent connection counts as dropped after this time; a server that is answering sends a heartbeat every 15 s. */
  readonly idleTimeoutSeconds?: number | undefined;
}

export interface HttpRequest {
  readonly path: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

const IDLE_TIMEOUT_SECONDS = 45;

export class Transport {
  /** Once the server has replied, this page's origin is known to be allowed. */
  hasReplied = false;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = { ...options, server: options.server.replace(/\/+$/, "") };
  }

  /** Parses the whole reply; an empty one is undefined. */
  async json<Reply>(request: HttpRequest): Promise<Reply> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.stream(request)) text += decoder.decode(chunk, { stream: true });
    return (text ? JSON.parse(text) : undefined) as Reply;
  }

  /** Yields the reply's bytes as they arrive. Leaving the loop ends the request. */
  async *stream(request: HttpRequest): AsyncGenerator<Uint8Array> {
    const timeout = idleTimeout(request.signal, this.#options.idleTimeoutSeconds ?? IDLE_TIMEOUT_SECONDS);
    try {
      const response = await this.#send(request, timeout.signal);
      this.hasReplied = true;
      if (!response.ok) throw await errorOf(response);
      for await (const chunk of chunksOf(response)) {
        timeout.renew();
        yield chunk;
        // In some runtimes a read that starts after the abort would wait forever.
        timeout.signal.throwIfAborted();
      }
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (error instanceof ApiError) throw error;
      throw new ConnectionError();
    } finally {
      timeout.end();
    }
  }

  /** Whether the server responds, even where CORS keeps its replies from this page. */
  async isAlive(): Promise<boolean> {
    try {
      await this.#fetch("/livez", { mode: "no-cors" });
      return true;
    } catch {
      return false;
    }
  }

  #send({ path, method = "GET", headers, body }: HttpRequest, signal: AbortSignal): Promise<Response> {
    const { key } = this.#options;
    return this.#fetch(`/v1${path}`, {
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

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const { server, fetch: fetchFunction = fetch } = this.#options;
    return fetchFunction(server + path, { cache: "no-store", ...init });
  }
}

/** Aborts a request when its own signal does, or when no byte has arrived for the given time. */
function idleTimeout(outerSignal: AbortSignal | undefined, seconds: number) {
  const controller = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  const start = () => setTimeout(end, seconds * 1000);
  let timer = start();
  const renew = (): void => {
    clearTimeout(timer);
    timer = start();
  };
  return { signal: AbortSignal.any([controller.signal, ...(outerSignal ? [outerSignal] : [])]), renew, end };
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (let result = await reader?.read(); result?.value; result = await reader?.read()) yield result.value;
}

/** A proxy's error has no problem body of ours; its status and `Retry-After` must do. */
async function errorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  const problem = (await response.json().catch(() => null)) as Partial<Problem> | null;
  if (problem?.code) return new ApiError(problem as Problem);
  return new ApiError({
    status,
    code: "unknown",
    detail: `The server answered ${status}.`,
    retryable: [429, 502, 503, 504].includes(status),
    retry_after: Number(headers.get("Retry-After")) || null,
  });
}
