declare const Base: {
	new (): HTMLElement;
	prototype: HTMLElement;
};
export declare class GlossatorChat extends Base {
	#private;
	static readonly observedAttributes: string[];
	connectedCallback(): void;
	disconnectedCallback(): void;
	attributeChangedCallback(name: string, oldValue: string | null, newValue: string | null): void;
	get isOpen(): boolean;
	open(): void;
	close(): void;
	/** Asks as if the reader had typed it; returns false when three questions are queued already. */
	ask(question: string): boolean;
}
interface components {
	schemas: {
		/** AnswerOut */
		readonly AnswerOut: {
			/** Citations */
			readonly citations: readonly components["schemas"]["Citation"][];
			/** Claims */
			readonly claims: readonly components["schemas"]["Claim"][];
			readonly confidence: components["schemas"]["Confidence"] | null;
			/** Disclaimer */
			readonly disclaimer: string | null;
			readonly grounding: components["schemas"]["Grounding"];
			/** Id */
			readonly id: string;
			readonly index: components["schemas"]["BookIndex"] | null;
			/** Model */
			readonly model: string | null;
			readonly outcome: components["schemas"]["Outcome"];
			/** Suggestions */
			readonly suggestions: readonly components["schemas"]["Suggestion"][];
			/** Text */
			readonly text: string;
			/** Timings */
			readonly timings: {
				readonly [key: string]: number;
			};
			/** Writer */
			readonly writer: string | null;
		};
		/** AskReply */
		readonly AskReply: {
			/** Citations */
			readonly citations: readonly components["schemas"]["Citation"][];
			/** Claims */
			readonly claims: readonly components["schemas"]["Claim"][];
			readonly confidence: components["schemas"]["Confidence"] | null;
			/** Disclaimer */
			readonly disclaimer: string | null;
			readonly grounding: components["schemas"]["Grounding"];
			/** Id */
			readonly id: string;
			readonly index: components["schemas"]["BookIndex"] | null;
			/** Model */
			readonly model: string | null;
			readonly outcome: components["schemas"]["Outcome"];
			readonly session: components["schemas"]["SessionOut"] | null;
			/** Suggestions */
			readonly suggestions: readonly components["schemas"]["Suggestion"][];
			/** Text */
			readonly text: string;
			/** Timings */
			readonly timings: {
				readonly [key: string]: number;
			};
			/** Trace Id */
			readonly trace_id: string;
			/** Writer */
			readonly writer: string | null;
		};
		/** AskRequest */
		readonly AskRequest: {
			/**
			 * @default {
			 *       "chapter": [],
			 *       "section": [],
			 *       "page": []
			 *     }
			 */
			readonly filters?: components["schemas"]["FiltersIn"];
			/** Question */
			readonly question: string;
			/**
			 * Remember
			 * @description If false, nothing about the question is stored.
			 * @default true
			 */
			readonly remember?: boolean;
			readonly selection?: components["schemas"]["SelectionIn"] | null;
			/** @description The session to continue. A new one is opened when absent. */
			readonly session?: components["schemas"]["SessionProof"] | null;
			/** Threshold */
			readonly threshold?: number | null;
			/** Through Chapter */
			readonly through_chapter?: number | null;
			/**
			 * Top K
			 * @default 5
			 */
			readonly top_k?: number;
			/** User */
			readonly user?: string | null;
		};
		/** BookIndex */
		readonly BookIndex: {
			/** Book */
			readonly book: string;
			/** Generation */
			readonly generation: number;
		};
		/** ChapterOut */
		readonly ChapterOut: {
			/** Id */
			readonly id: string;
			/** Sections */
			readonly sections: readonly string[];
			/** Title */
			readonly title: string;
			/** Url */
			readonly url: string;
		};
		/** ChaptersReply */
		readonly ChaptersReply: {
			/** Chapters */
			readonly chapters: readonly components["schemas"]["ChapterOut"][];
			/** Total Count */
			readonly total_count: number;
		};
		/** Citation */
		readonly Citation: {
			/** Chapter */
			readonly chapter: string;
			/** Chunk Id */
			readonly chunk_id: string;
			/** End */
			readonly end: number;
			/** N */
			readonly n: number;
			/** Page */
			readonly page: string;
			/** Page Title */
			readonly page_title: string;
			/** Quote */
			readonly quote: string;
			/** Section */
			readonly section: string;
			/** Similarity */
			readonly similarity: number;
			/** Start */
			readonly start: number;
			/** Url */
			readonly url: string;
		};
		/** CitedReply */
		readonly CitedReply: {
			/** Most */
			readonly most: readonly components["schemas"]["CitedSection"][];
			/** Never */
			readonly never: readonly components["schemas"]["CitedSection"][];
			/** Sections */
			readonly sections: number;
			/**
			 * Since
			 * Format: date-time
			 */
			readonly since: string;
		};
		/** CitedSection */
		readonly CitedSection: {
			/** Count */
			readonly count: number;
			/** Page */
			readonly page: string;
			/** Title */
			readonly title: string;
			/** Url */
			readonly url: string;
		};
		/**
		 * Claim
		 * @description A sentence of the answer, or a piece of code, a table or a list that stands in it.
		 */
		readonly Claim: {
			/** Citations */
			readonly citations: readonly number[];
			/** Text */
			readonly text: string;
			readonly verdict: components["schemas"]["Verdict"];
		};
		/** ClaimEvent */
		readonly ClaimEvent: {
			/** Citations */
			readonly citations: readonly number[];
			/** Text */
			readonly text: string;
			readonly verdict: components["schemas"]["Verdict"];
		};
		/**
		 * Confidence
		 * @description The judgement on the evidence.
		 */
		readonly Confidence: {
			readonly level: components["schemas"]["Level"];
			readonly metrics: components["schemas"]["ConfidenceMetrics"];
			readonly policy: components["schemas"]["Policy"];
			/** Score */
			readonly score: number;
			/** Should Answer */
			readonly should_answer: boolean;
		};
		/** ConfidenceMetrics */
		readonly ConfidenceMetrics: {
			/** Average Similarity */
			readonly average_similarity: number;
			/** Chunk Diversity */
			readonly chunk_diversity: number;
			readonly confidence_level: components["schemas"]["Level"];
			/** Has Sufficient Context */
			readonly has_sufficient_context: boolean;
			/** Max Similarity */
			readonly max_similarity: number;
			/** Min Similarity */
			readonly min_similarity: number;
			/** Num Chunks */
			readonly num_chunks: number;
			/** Should Answer */
			readonly should_answer: boolean;
		};
		/** DayCount */
		readonly DayCount: {
			/**
			 * Day
			 * Format: date
			 */
			readonly day: string;
			/** Exchanges */
			readonly exchanges: number;
			/** Flagged */
			readonly flagged: number;
			/** Outcomes */
			readonly outcomes: {
				readonly [key: string]: number;
			};
		};
		/**
		 * ErasedReader
		 * @description The receipt for a reader who wants to be forgotten.
		 */
		readonly ErasedReader: {
			/** Exchanges */
			readonly exchanges: number;
			/** Feedback */
			readonly feedback: number;
			/** Sessions */
			readonly sessions: number;
			/** Unanswered */
			readonly unanswered: number;
		};
		/** ErasedReply */
		readonly ErasedReply: {
			/**
			 * At
			 * Format: date-time
			 */
			readonly at: string;
			readonly erased: components["schemas"]["ErasedReader"];
			/** User */
			readonly user: string;
		};
		/**
		 * EventOut
		 * @description The data of an event; in order, of `status`, `found`, `claim`, `answer` and `error`.
		 */
		readonly EventOut: components["schemas"]["StatusEvent"] | components["schemas"]["FoundEvent"] | components["schemas"]["ClaimEvent"] | components["schemas"]["AskReply"] | components["schemas"]["ProblemBody"];
		/** ExchangeOut */
		readonly ExchangeOut: {
			readonly answer: components["schemas"]["AnswerOut"];
			/**
			 * Answered At
			 * Format: date-time
			 */
			readonly answered_at: string;
			/**
			 * Asked At
			 * Format: date-time
			 */
			readonly asked_at: string;
			/** Id */
			readonly id: string;
			/** Question */
			readonly question: string;
			/** Selection */
			readonly selection: string | null;
		};
		/** FeedbackRequest */
		readonly FeedbackRequest: {
			/** Exchange Id */
			readonly exchange_id: string;
			/** Helpful */
			readonly helpful: boolean;
			/**
			 * Reason
			 * @default
			 */
			readonly reason?: string;
			readonly session?: components["schemas"]["SessionProof"] | null;
			/** User */
			readonly user?: string | null;
		};
		/** FieldProblem */
		readonly FieldProblem: {
			/** Field */
			readonly field: string;
			/** Message */
			readonly message: string;
		};
		/** FiltersIn */
		readonly FiltersIn: {
			/**
			 * Chapter
			 * @default []
			 */
			readonly chapter?: string | readonly string[];
			/**
			 * Page
			 * @default []
			 */
			readonly page?: string | readonly string[];
			/**
			 * Section
			 * @default []
			 */
			readonly section?: string | readonly string[];
		};
		/** FlaggedClaim */
		readonly FlaggedClaim: {
			readonly nearest: components["schemas"]["Citation"] | null;
			/** Text */
			readonly text: string;
		};
		/** FlaggedOut */
		readonly FlaggedOut: {
			/**
			 * Answered At
			 * Format: date-time
			 */
			readonly answered_at: string;
			/** Citations */
			readonly citations: readonly components["schemas"]["Citation"][];
			/** Claims */
			readonly claims: readonly components["schemas"]["Claim"][];
			/** Exchange Id */
			readonly exchange_id: string;
			readonly outcome: components["schemas"]["Outcome"];
			/** Question */
			readonly question: string;
			/** Session Id */
			readonly session_id: string;
			/** Suggestions */
			readonly suggestions: readonly components["schemas"]["Suggestion"][];
			/** Unsupported Claims */
			readonly unsupported_claims: readonly components["schemas"]["FlaggedClaim"][];
		};
		/** FlaggedReply */
		readonly FlaggedReply: {
			/** Flagged */
			readonly flagged: readonly components["schemas"]["FlaggedOut"][];
			/** Total Count */
			readonly total_count: number;
		};
		/** FoundEvent */
		readonly FoundEvent: {
			/** Hits */
			readonly hits: readonly components["schemas"]["HitOut"][];
		};
		/**
		 * Gap
		 * @description Questions of one meaning that the book did not answer, or hardly.
		 */
		readonly Gap: {
			/** Count */
			readonly count: number;
			/** Example */
			readonly example: string;
			/**
			 * Last Asked
			 * Format: date-time
			 */
			readonly last_asked: string;
			/** Missing */
			readonly missing: readonly string[];
			readonly nearest: components["schemas"]["Suggestion"] | null;
			/** Outcomes */
			readonly outcomes: {
				readonly [key: string]: number;
			};
			/** Questions */
			readonly questions: readonly string[];
			/** Sessions */
			readonly sessions: number;
			/** @default open */
			readonly state?: components["schemas"]["GapState"];
		};
		/** GapsReply */
		readonly GapsReply: {
			/** Gaps */
			readonly gaps: readonly components["schemas"]["Gap"][];
			/** Held Back */
			readonly held_back: number;
			/** Is Cut */
			readonly is_cut: boolean;
			/** Least Sessions */
			readonly least_sessions: number;
			/** Questions */
			readonly questions: number;
			/**
			 * Since
			 * Format: date-time
			 */
			readonly since: string;
		};
		/**
		 * GapState
		 * @description What became of a gap since the book was ingested last.
		 * @enum {string}
		 */
		readonly GapState: "open" | "still_open" | "closed";
		/** Grounding */
		readonly Grounding: {
			/** Is Fully Grounded */
			readonly is_fully_grounded: boolean;
			/**
			 * Unsupported Claims
			 * @default []
			 */
			readonly unsupported_claims?: readonly string[];
		};
		/** HitOut */
		readonly HitOut: {
			/** Chapter */
			readonly chapter: string;
			/** Chunk Id */
			readonly chunk_id: string;
			/** Page */
			readonly page: string;
			/** Section */
			readonly section: string;
			/** Similarity */
			readonly similarity: number;
			/** Url */
			readonly url: string;
		};
		/**
		 * Level
		 * @enum {string}
		 */
		readonly Level: "high" | "medium" | "low" | "insufficient";
		/**
		 * Outcome
		 * @enum {string}
		 */
		readonly Outcome: "answered" | "answered_with_caution" | "not_in_book" | "not_in_selection" | "small_talk" | "needs_more_words";
		/**
		 * Overview
		 * @description Whole exchanges since a moment.
		 */
		readonly Overview: {
			/** Days */
			readonly days: readonly components["schemas"]["DayCount"][];
			/** Exchanges */
			readonly exchanges: number;
			/** Flagged */
			readonly flagged: number;
			/** Helpful */
			readonly helpful: number;
			/** Latency P50 Ms */
			readonly latency_p50_ms: number | null;
			/** Latency P95 Ms */
			readonly latency_p95_ms: number | null;
			/** Levels */
			readonly levels: {
				readonly [key: string]: number;
			};
			/** Outcomes */
			readonly outcomes: {
				readonly [key: string]: number;
			};
			/** Responses */
			readonly responses?: {
				readonly [key: string]: number;
			};
			/** Sessions */
			readonly sessions: number;
			/**
			 * Since
			 * Format: date-time
			 */
			readonly since: string;
			/** Unhelpful */
			readonly unhelpful: number;
		};
		/** OverviewReply */
		readonly OverviewReply: {
			readonly overview: components["schemas"]["Overview"];
		};
		/**
		 * Policy
		 * @enum {string}
		 */
		readonly Policy: "calibrated" | "strict";
		/** ProblemBody */
		readonly ProblemBody: {
			readonly code: components["schemas"]["ProblemKind"];
			/** Detail */
			readonly detail: string;
			/**
			 * Errors
			 * @default []
			 */
			readonly errors?: readonly components["schemas"]["FieldProblem"][];
			/** Retry After */
			readonly retry_after?: number | null;
			/** Retryable */
			readonly retryable: boolean;
			/** Status */
			readonly status: number;
			/** Title */
			readonly title: string;
			/** Trace Id */
			readonly trace_id: string;
			/**
			 * Type
			 * @default about:blank
			 */
			readonly type?: string;
		};
		/**
		 * ProblemKind
		 * @description The reasons a request fails that a caller may tell apart.
		 * @enum {string}
		 */
		readonly ProblemKind: "invalid" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "idempotency_mismatch" | "too_large" | "rate_limited" | "no_book" | "index_unavailable" | "embedder_unavailable" | "writer_unavailable" | "database_unavailable" | "session_busy" | "overloaded" | "stopping" | "timeout" | "internal";
		/** QuestionsReply */
		readonly QuestionsReply: {
			/** Book */
			readonly book: string;
			/** Questions */
			readonly questions: readonly string[];
		};
		/**
		 * ResponseState
		 * @description How far an answer has come on its way to its reader.
		 * @enum {string}
		 */
		readonly ResponseState: "processing" | "validated" | "delivered" | "flagged";
		/**
		 * Scores
		 * @description What each leg of the search said; None where a leg did not find it.
		 */
		readonly Scores: {
			/** Dense */
			readonly dense: number | null;
			/** Fused */
			readonly fused: number;
			/** Sparse */
			readonly sparse: number | null;
		};
		/** SearchHit */
		readonly SearchHit: {
			/** Chapter */
			readonly chapter: string;
			/** Chunk Id */
			readonly chunk_id: string;
			/** Chunk Index */
			readonly chunk_index: number;
			/** Content Hash */
			readonly content_hash: string;
			/** End */
			readonly end: number;
			/** Page */
			readonly page: string;
			readonly scores: components["schemas"]["Scores"];
			/** Section */
			readonly section: string;
			/** Similarity */
			readonly similarity: number;
			/** Start */
			readonly start: number;
			/** Text */
			readonly text: string;
			/** Token Count */
			readonly token_count: number;
			/** Url */
			readonly url: string;
		};
		/** SearchReply */
		readonly SearchReply: {
			/** Average Score */
			readonly average_score: number;
			readonly confidence: components["schemas"]["Confidence"];
			/** Has Sufficient Context */
			readonly has_sufficient_context: boolean;
			/** Hits */
			readonly hits: readonly components["schemas"]["SearchHit"][];
			/** Query */
			readonly query: string;
			/** Query Embedding */
			readonly query_embedding?: readonly number[] | null;
			/** Retrieval Time Ms */
			readonly retrieval_time_ms: number;
			/**
			 * Timestamp
			 * Format: date-time
			 */
			readonly timestamp: string;
			/** Total Results */
			readonly total_results: number;
		};
		/** SectionReply */
		readonly SectionReply: {
			/** Chapter */
			readonly chapter: string;
			/** Chunk Id */
			readonly chunk_id: string;
			/** Chunk Index */
			readonly chunk_index: number;
			/** Content Hash */
			readonly content_hash: string;
			/** End */
			readonly end: number;
			/** Page */
			readonly page: string;
			/** Page Title */
			readonly page_title: string;
			/** Section */
			readonly section: string;
			/** Start */
			readonly start: number;
			/** Text */
			readonly text: string;
			/** Token Count */
			readonly token_count: number;
			/** Url */
			readonly url: string;
		};
		/** SelectionIn */
		readonly SelectionIn: {
			/**
			 * Only
			 * @description If true, answer from the selection only, not from the book.
			 * @default false
			 */
			readonly only?: boolean;
			/** Page Url */
			readonly page_url?: string | null;
			/** Text */
			readonly text: string;
		};
		/** SessionOut */
		readonly SessionOut: {
			/** Id */
			readonly id: string;
			/** Token */
			readonly token?: string | null;
		};
		/** SessionProof */
		readonly SessionProof: {
			/** Id */
			readonly id: string;
			/**
			 * Token
			 * @description Required with a publishable key. Every reply brings a fresh one.
			 */
			readonly token?: string | null;
		};
		/** SessionReply */
		readonly SessionReply: {
			/** Archived At */
			readonly archived_at: string | null;
			/**
			 * Created At
			 * Format: date-time
			 */
			readonly created_at: string;
			/** Exchanges */
			readonly exchanges: readonly components["schemas"]["ExchangeOut"][];
			/** Id */
			readonly id: string;
			/** Metadata */
			readonly metadata: {
				readonly [key: string]: unknown;
			};
			readonly state: components["schemas"]["SessionState"];
			/** Token */
			readonly token: string | null;
			/** Topic Summary */
			readonly topic_summary: string | null;
			/**
			 * Updated At
			 * Format: date-time
			 */
			readonly updated_at: string;
			/** User */
			readonly user: string | null;
		};
		/** SessionRequest */
		readonly SessionRequest: {
			/**
			 * Metadata
			 * @default {}
			 */
			readonly metadata?: {
				readonly [key: string]: string | number | boolean | null;
			};
			/** User */
			readonly user?: string | null;
		};
		/**
		 * SessionState
		 * @enum {string}
		 */
		readonly SessionState: "created" | "active" | "inactive" | "expired";
		/** StatusEvent */
		readonly StatusEvent: {
			readonly session: components["schemas"]["SessionOut"] | null;
			/** Stage */
			readonly stage: string;
		};
		/**
		 * Suggestion
		 * @description A section to look at; never an answer.
		 */
		readonly Suggestion: {
			/** Chunk Id */
			readonly chunk_id: string;
			/** Title */
			readonly title: string;
			/** Url */
			readonly url: string;
		};
		/**
		 * Verdict
		 * @enum {string}
		 */
		readonly Verdict: "supported" | "partly" | "unsupported";
	};
	responses: never;
	parameters: never;
	requestBodies: never;
	headers: never;
	pathItems: never;
}
type Schemas = components["schemas"];
export type Answer = Schemas["AnswerOut"];
export type AskReply = Schemas["AskReply"];
export type AskRequest = Schemas["AskRequest"];
export type Citation = Schemas["Citation"];
export type Claim = Schemas["ClaimEvent"];
export type Confidence = Schemas["Confidence"];
export type Exchange = Schemas["ExchangeOut"];
export type Filters = Schemas["FiltersIn"];
/** A passage of the book that an answer may come from. */
export type Hit = Schemas["HitOut"];
export type Outcome = Schemas["Outcome"];
export type Problem = Schemas["ProblemBody"];
export type Questions = Schemas["QuestionsReply"];
export type SearchHit = Schemas["SearchHit"];
export type SearchReply = Schemas["SearchReply"];
type Selection$1 = Schemas["SelectionIn"];
export type SessionProof = Schemas["SessionProof"];
export type SessionReply = Schemas["SessionReply"];
export type Suggestion = Schemas["Suggestion"];
export type Verdict = Schemas["Verdict"];
export type Stage = "searching" | "writing" | "checking";
/** The events of an answer's stream; the last one is `answer`. */
export type AskEvent = {
	readonly type: "status";
	readonly stage: Stage;
	readonly session: SessionProof | null;
} | {
	readonly type: "found";
	readonly hits: readonly Hit[];
} | ({
	readonly type: "claim";
} & Claim)
/** The server lost the answer and writes another one: discard the claims received before this event. */
 | {
	readonly type: "restart";
} | {
	readonly type: "answer";
	readonly answer: AskReply;
};
interface ErrorBody {
	readonly status: number;
	readonly code: Problem["code"] | "unknown";
	readonly detail: string;
	readonly retryable?: boolean;
	readonly retry_after?: number | null;
	readonly trace_id?: string | null;
}
/** The server rejected the request, or failed in the middle of an answer. */
export declare class ApiError extends Error {
	readonly status: number;
	readonly code: ErrorBody["code"];
	readonly retryable: boolean;
	/** Seconds. */
	readonly retryAfter: number | null;
	readonly traceId: string | null;
	constructor({ status, code, detail, retryable, retry_after, trace_id }: ErrorBody);
}
/** There was no reply, or it ended early, and reconnecting did not help. */
export declare class ConnectionError extends Error {
	readonly name = "ConnectionError";
	constructor();
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
export interface AskOptions {
	/** Aborting it stops the answer, on the server too. */
	readonly signal?: AbortSignal | undefined;
	/** Called each time the connection drops, before the client reconnects. */
	readonly onDrop?: (() => void) | undefined;
	/** A request that is sent again under the same key is answered once. Random by default. */
	readonly idempotencyKey?: string | undefined;
}
export interface SearchOptions {
	readonly top_k?: number | undefined;
	readonly threshold?: number | undefined;
	readonly filters?: Filters | undefined;
	readonly signal?: AbortSignal | undefined;
}
export declare class Glossator {
	#private;
	constructor(options: ClientOptions);
	/** Streams the answer sentence by sentence. Leaving the loop stops it. */
	ask(request: AskRequest, { signal, onDrop, idempotencyKey }?: AskOptions): AsyncGenerator<AskEvent>;
	/** Resolves with the whole answer. */
	answer(request: AskRequest, options?: AskOptions): Promise<AskReply>;
	/** Finds passages of the book and writes no answer. A publishable key does not allow it. */
	search(q: string, { top_k, threshold, filters, signal }?: SearchOptions): Promise<SearchReply>;
	/** The book's title, and questions that it answers; after an answer, from sections near the chunk that it cites. */
	questions(after?: string): Promise<Questions>;
	/** Reads a conversation, oldest exchange first, and renews its token. */
	getSession(session: SessionProof, signal?: AbortSignal): Promise<SessionReply>;
	/** Deletes a conversation on the server. */
	deleteSession(session: SessionProof): Promise<void>;
	/** Stores whether an answer helped; feedback on the same answer replaces the former. */
	sendFeedback(exchange_id: string, helpful: boolean, reason?: string, session?: SessionProof | null): Promise<void>;
}
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
export declare function browserStorage(server: string): ChatStorage;
/** Never touches the browser's storage, not even to read. */
export declare function noStorage(): ChatStorage;
/** Why a question failed, in the few kinds that a reader can act on. */
export type FailureKind = "offline" | "unauthorized" | "busy" | "limited" | "too_long" | "no_book" | "server";
export interface Failure {
	readonly kind: FailureKind;
	/** When the question is asked again automatically, in milliseconds since 1970. */
	readonly retryAt: number | null;
}
/** `waiting`: the server was busy, and the question is asked again after a countdown. */
export type TurnState = "queued" | "asking" | "waiting" | "done" | "stopped" | "failed";
/** Text that the reader selected in the page. */
export interface SelectedText {
	readonly text: string;
	/** Answer from this text alone. */
	readonly only: boolean;
	readonly pageUrl: string;
}
/** Immutable: a change makes a new object with the same key. */
export interface Turn {
	readonly key: number;
	readonly question: string;
	readonly selection: SelectedText | null;
	readonly state: TurnState;
	readonly stage: Stage | "reconnecting" | null;
	/** The claims received so far; they stay when the connection drops, until another answer replaces them. */
	readonly claims: readonly Claim[];
	readonly hits: readonly Hit[];
	readonly answer: Answer | null;
	readonly failure: Failure | null;
	/** The reader's feedback; null when there is none. */
	readonly helpful: boolean | null;
}
interface ChatEvents {
	/** Draw this turn again, or the whole list when it is null. */
	readonly change: CustomEvent<{
		readonly turn: Turn | null;
	}>;
	readonly sentence: CustomEvent<{
		readonly text: string;
	}>;
	readonly end: CustomEvent<{
		readonly turn: Turn;
	}>;
}
export interface Chat {
	addEventListener<Name extends keyof ChatEvents>(name: Name, listener: (event: ChatEvents[Name]) => void, options?: boolean | AddEventListenerOptions): void;
	addEventListener(...args: Parameters<EventTarget["addEventListener"]>): void;
}
export declare class Chat extends EventTarget {
	#private;
	constructor(client: Glossator, storage: ChatStorage, options: {
		readonly remember: boolean;
	});
	get turns(): readonly Turn[];
	get canAsk(): boolean;
	/** Returns false when the question is empty or the queue is full. */
	ask(question: string, selection: SelectedText | null): boolean;
	/** Stops the question that is being asked; the claims received so far stay. */
	stop(): void;
	/** Asks a failed or stopped question again, or a waiting one at once. */
	retry(key: number): void;
	/** Removes a question from the queue. */
	cancel(key: number): void;
	/** Starts a new conversation; `goBack` returns to the old one until the page is left. */
	clear(): void;
	get canGoBack(): boolean;
	goBack(): void;
	/** Starts a new conversation and forgets the old one. */
	forget(): void;
	/** The book's title, and questions to suggest: to begin with, or after an answer that cites this chunk. */
	suggest(after?: string): Promise<Questions>;
	/** Shows the feedback at once, and takes it back when the server rejects it. */
	sendFeedback(key: number, helpful: boolean, reason: string): Promise<void>;
	/** Loads the conversation of the last visit; questions that are asked meanwhile wait for it. */
	restore(): Promise<void>;
}

export {
	Selection$1 as Selection,
};

export {};
