declare const Base: {
	new (): HTMLElement;
	prototype: HTMLElement;
};
export declare class GlossatorChat extends Base {
	#private;
	static readonly observedAttributes: string[];
	connectedCallback(): void;
	disconnectedCallback(): void;
	attributeChangedCallback(name: string, before: string | null, now: string | null): void;
	get isOpen(): boolean;
	open(): void;
	close(): void;
	/** Asks as if the reader had written it; `false` when three questions wait already. */
	ask(question: string): boolean;
}
interface components {
	schemas: {
		/** AnswerTold */
		readonly AnswerTold: {
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
			readonly session: components["schemas"]["SessionTold"] | null;
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
			readonly filters?: components["schemas"]["FiltersSent"];
			/** Question */
			readonly question: string;
			/**
			 * Remember
			 * @description If false, nothing about the question is written.
			 * @default true
			 */
			readonly remember?: boolean;
			readonly selection?: components["schemas"]["SelectionSent"] | null;
			/** @description One is opened when there is none. */
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
		/** ChaptersReply */
		readonly ChaptersReply: {
			/** Chapters */
			readonly chapters: readonly components["schemas"]["ChapterTold"][];
			/** Total Count */
			readonly total_count: number;
		};
		/** ChapterTold */
		readonly ChapterTold: {
			/** Id */
			readonly id: string;
			/** Sections */
			readonly sections: readonly string[];
			/** Title */
			readonly title: string;
			/** Url */
			readonly url: string;
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
		 * Erased
		 * @description The receipt for a reader who wants to be forgotten.
		 */
		readonly Erased: {
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
			readonly erased: components["schemas"]["Erased"];
			/** User */
			readonly user: string;
		};
		/**
		 * EventTold
		 * @description The data of an event: of `status`, `found`, `claim`, `answer` and `error`, in this order.
		 */
		readonly EventTold: components["schemas"]["StatusEvent"] | components["schemas"]["FoundEvent"] | components["schemas"]["ClaimEvent"] | components["schemas"]["AskReply"] | components["schemas"]["ProblemBody"];
		/** ExchangeTold */
		readonly ExchangeTold: {
			readonly answer: components["schemas"]["AnswerTold"];
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
		/** FiltersSent */
		readonly FiltersSent: {
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
		/** Flagged */
		readonly Flagged: {
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
		/** FlaggedClaim */
		readonly FlaggedClaim: {
			readonly nearest: components["schemas"]["Citation"] | null;
			/** Text */
			readonly text: string;
		};
		/** FlaggedReply */
		readonly FlaggedReply: {
			/** Flagged */
			readonly flagged: readonly components["schemas"]["Flagged"][];
			/** Total Count */
			readonly total_count: number;
		};
		/** FoundEvent */
		readonly FoundEvent: {
			/** Hits */
			readonly hits: readonly components["schemas"]["HitTold"][];
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
		/** HitTold */
		readonly HitTold: {
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
		 * Kind
		 * @description The reasons a request fails that a caller may tell apart.
		 * @enum {string}
		 */
		readonly Kind: "invalid" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "idempotency_mismatch" | "too_large" | "rate_limited" | "no_book" | "index_unavailable" | "embedder_unavailable" | "writer_unavailable" | "database_unavailable" | "session_busy" | "overloaded" | "stopping" | "timeout" | "internal";
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
			readonly code: components["schemas"]["Kind"];
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
		/** SelectionSent */
		readonly SelectionSent: {
			/**
			 * Only
			 * @description Answer from the selection alone.
			 * @default false
			 */
			readonly only?: boolean;
			/** Page Url */
			readonly page_url?: string | null;
			/** Text */
			readonly text: string;
		};
		/** SessionProof */
		readonly SessionProof: {
			/** Id */
			readonly id: string;
			/**
			 * Token
			 * @description Needed with a publishable key; every reply brings a fresh one.
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
			readonly exchanges: readonly components["schemas"]["ExchangeTold"][];
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
		/** SessionTold */
		readonly SessionTold: {
			/** Id */
			readonly id: string;
			/** Token */
			readonly token?: string | null;
		};
		/** StatusEvent */
		readonly StatusEvent: {
			readonly session: components["schemas"]["SessionTold"] | null;
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
export type AnswerTold = Schemas["AnswerTold"];
export type Asking = Schemas["AskRequest"];
export type AskReply = Schemas["AskReply"];
export type Citation = Schemas["Citation"];
export type Claim = Schemas["ClaimEvent"];
export type Confidence = Schemas["Confidence"];
export type ExchangeTold = Schemas["ExchangeTold"];
export type Filters = Schemas["FiltersSent"];
/** A place of the book that an answer may come from. */
export type Hit = Schemas["HitTold"];
export type Outcome = Schemas["Outcome"];
export type Problem = Schemas["ProblemBody"];
export type SearchHit = Schemas["SearchHit"];
export type SearchReply = Schemas["SearchReply"];
type Selection$1 = Schemas["SelectionSent"];
export type SessionProof = Schemas["SessionTold"];
export type SessionReply = Schemas["SessionReply"];
export type Suggestion = Schemas["Suggestion"];
export type Verdict = Schemas["Verdict"];
export type Stage = "searching" | "writing" | "checking";
/** What is heard of an answer while it is made; the last one is the answer. */
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
/** The answer that was begun is lost and another one begins: no claim before this is part of it. */
 | {
	readonly type: "restart";
} | {
	readonly type: "answer";
	readonly answer: AskReply;
};
interface Refusal {
	readonly status: number;
	readonly code: Problem["code"] | "unknown";
	readonly detail: string;
	readonly retryable?: boolean;
	readonly retry_after?: number | null;
	readonly trace_id?: string | null;
}
/** What the server said no with, at once or in the middle of an answer. */
export declare class Refused extends Error {
	readonly status: number;
	readonly code: Refusal["code"];
	readonly retryable: boolean;
	/** Seconds. */
	readonly retryAfter: number | null;
	readonly traceId: string | null;
	constructor({ status, code, detail, retryable, retry_after, trace_id }: Refusal);
}
/** There was no reply, or it ended too early, and coming back did not help. */
export declare class LineDropped extends Error {
	readonly name = "LineDropped";
	constructor();
}
interface LineOptions {
	/** Where it is served, such as `https://ask.book.example`. */
	readonly server: string;
	/** A publishable key; none where the server is open. */
	readonly key?: string | undefined;
	readonly fetch?: typeof fetch | undefined;
	/** How long a line may be silent before it counts as dropped; a server that answers says so every 15. */
	readonly silenceSeconds?: number | undefined;
}
export type ClientOptions = LineOptions;
export interface AskOptions {
	/** Aborting it stops the answer, on the server too. */
	readonly signal?: AbortSignal | undefined;
	/** Told at each drop of the line, before it is taken up again. */
	readonly onDrop?: (() => void) | undefined;
	/** However often the same asking is sent under one name, it is asked once; a random name where there is none. */
	readonly name?: string | undefined;
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
	/** The answer as it is made, sentence by sentence. Leaving the loop stops it. */
	ask(asking: Asking, { signal, onDrop, name }?: AskOptions): AsyncGenerator<AskEvent>;
	/** The answer when it is whole. */
	answer(asking: Asking, options?: AskOptions): Promise<AskReply>;
	/** Places of the book, with no answer. A publishable key may not do this. */
	search(q: string, { top_k, threshold, filters, signal }?: SearchOptions): Promise<SearchReply>;
	/** A conversation, oldest exchange first, with a fresh token. */
	session(proof: SessionProof, signal?: AbortSignal): Promise<SessionReply>;
	/** Deletes a conversation on the server. */
	forget(proof: SessionProof): Promise<void>;
	/** Whether an answer helped; said again, it replaces what was said. */
	judge(exchange_id: string, helpful: boolean, reason?: string, session?: SessionProof | null): Promise<void>;
}
/** Why a question has no answer, in the few kinds that a reader can do something about. */
export type FailureKind = "offline" | "unauthorized" | "busy" | "limited" | "too_long" | "no_book" | "server";
export interface Failure {
	readonly kind: FailureKind;
	/** When it is asked again by itself, in milliseconds since 1970. */
	readonly retryAt: number | null;
}
/** One that waits was turned away for now, counts down, and is asked again by itself. */
export type TurnState = "queued" | "asking" | "waiting" | "done" | "stopped" | "failed";
export interface MarkedText {
	readonly text: string;
	readonly only: boolean;
	readonly pageUrl: string;
}
/** Never changed itself: another one takes its place under the same key. */
export interface Turn {
	readonly key: number;
	readonly question: string;
	readonly selection: MarkedText | null;
	readonly state: TurnState;
	readonly stage: Stage | "reconnecting" | null;
	/** What was told so far; it stays when the line drops, and until another answer takes its place. */
	readonly claims: readonly Claim[];
	readonly hits: readonly Hit[];
	readonly answer: AnswerTold | null;
	readonly failure: Failure | null;
	/** Whether the reader said that it helped. */
	readonly judged: boolean | null;
}
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
export declare function localMemory(server: string): Memory;
/** Touches no storage, not even to look. */
export declare function noMemory(): Memory;
interface ChatEvents {
	/** Something is to be drawn again: that turn, or the list where it is null. */
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
	addEventListener(...listening: Parameters<EventTarget["addEventListener"]>): void;
}
export declare class Chat extends EventTarget {
	#private;
	constructor(client: Glossator, memory: Memory, options: {
		readonly remember: boolean;
	});
	get turns(): readonly Turn[];
	get canAsk(): boolean;
	/** False where it was not taken. */
	ask(question: string, selection: MarkedText | null): boolean;
	/** The question that is being asked; what was told of its answer stays. */
	stop(): void;
	/** Asks again what failed or was stopped, and at once what waits. */
	retry(key: number): void;
	/** Takes back a question that was not asked yet. */
	drop(key: number): void;
	/** Begins a new conversation; nothing here knows of the old one any more. */
	clear(): void;
	/** Shown at once, and taken back where the server does not take it. */
	judge(key: number, helpful: boolean, reason: string): Promise<void>;
	/** Shows what was said before; questions that come meanwhile wait for it. */
	restore(): Promise<void>;
}

export {
	Selection$1 as Selection,
};

export {};
