// Made by `npm run api` out of the server's OpenAPI document; not edited by hand.

export interface paths {
    readonly "/admin/cited": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Cited
         * @description The sections that were cited most, and those that were never cited, in reading order.
         */
        readonly get: operations["cited_admin_cited_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/flagged": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Flagged
         * @description Answers with a claim that failed its check and the nearest passages, the latest first.
         */
        readonly get: operations["flagged_admin_flagged_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/gaps": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Gaps
         * @description Questions that the book did not answer, or only weakly; those of one meaning are grouped.
         */
        readonly get: operations["gaps_admin_gaps_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Overview
         * @description Counts of the stored exchanges of the last days.
         */
        readonly get: operations["overview_admin_overview_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask
         * @description Answer a question from the book, with citations.
         */
        readonly post: operations["ask_ask_post"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/chapters": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Chapters */
        readonly get: operations["chapters_chapters_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/feedback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Judge
         * @description Record whether an answer helped; it replaces earlier feedback.
         */
        readonly post: operations["judge_feedback_post"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/questions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Questions
         * @description Questions to suggest, made from the book's headings, which the book answers.
         */
        readonly get: operations["questions_questions_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Search
         * @description Find passages of the book, with the confidence that they answer the query.
         */
        readonly get: operations["search_search_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sections/{chunk_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Section
         * @description A chunk of the book. Its id contains a `#`, which is written `%23` in a URL.
         */
        readonly get: operations["section_sections__chunk_id__get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Open Session */
        readonly post: operations["open_session_sessions_post"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read Session
         * @description A session with its latest exchanges, oldest first.
         */
        readonly get: operations["read_session_sessions__session_id__get"];
        readonly put?: never;
        readonly post?: never;
        /** Delete Session */
        readonly delete: operations["delete_session_sessions__session_id__delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session_id}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export Session
         * @description A session with all its exchanges, as a file.
         */
        readonly get: operations["export_session_sessions__session_id__export_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/sessions/{session_id}/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reset Session
         * @description Delete the exchanges of a session and keep its id.
         */
        readonly post: operations["reset_session_sessions__session_id__reset_post"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Erase
         * @description Erase all data of a user whose id may contain a slash, or only one session of the user.
         */
        readonly delete: operations["erase_users_delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/users/{user}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Erase By Path
         * @description Erase all data of a user, under every key and in every contract, with a receipt.
         */
        readonly delete: operations["erase_by_path_users__user__delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
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
export type $defs = Record<string, never>;
export interface operations {
    readonly cited_admin_cited_get: {
        readonly parameters: {
            readonly query?: {
                readonly days?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CitedReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly flagged_admin_flagged_get: {
        readonly parameters: {
            readonly query?: {
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FlaggedReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly gaps_admin_gaps_get: {
        readonly parameters: {
            readonly query?: {
                readonly days?: number;
                readonly least_sessions?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GapsReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly overview_admin_overview_get: {
        readonly parameters: {
            readonly query?: {
                readonly days?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OverviewReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly ask_ask_post: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `text/event-stream` for events. */
                readonly accept?: string;
                /** @description 1 to 255 visible characters of the caller's own choice. */
                readonly "idempotency-key"?: string | null;
                /** @description The id of the last event that arrived, to resume after it. */
                readonly "last-event-id"?: string | null;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AskRequest"];
            };
        };
        readonly responses: {
            /** @description The whole answer, or its events if `Accept: text/event-stream` is sent. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AskReply"];
                    readonly "text/event-stream": unknown;
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unprocessable Entity */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly chapters_chapters_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChaptersReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly judge_feedback_post: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["FeedbackRequest"];
            };
        };
        readonly responses: {
            /** @description Successful Response */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly questions_questions_get: {
        readonly parameters: {
            readonly query?: {
                /** @description The chunk that an answer cites; the questions are then from sections near it. */
                readonly after?: string | null;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["QuestionsReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly search_search_get: {
        readonly parameters: {
            readonly query: {
                readonly chapter?: readonly string[];
                readonly include?: readonly string[];
                readonly page?: readonly string[];
                readonly q: string;
                readonly section?: readonly string[];
                readonly threshold?: number | null;
                readonly top_k?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SearchReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly section_sections__chunk_id__get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly chunk_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SectionReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly open_session_sessions_post: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["SessionRequest"];
            };
        };
        readonly responses: {
            /** @description Successful Response */
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly read_session_sessions__session_id__get: {
        readonly parameters: {
            readonly query?: {
                /** @description The user whose session it is, if the key has users. */
                readonly user?: string | null;
            };
            readonly header?: never;
            readonly path: {
                readonly session_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly delete_session_sessions__session_id__delete: {
        readonly parameters: {
            readonly query?: {
                /** @description The user whose session it is, if the key has users. */
                readonly user?: string | null;
            };
            readonly header?: never;
            readonly path: {
                readonly session_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly export_session_sessions__session_id__export_get: {
        readonly parameters: {
            readonly query?: {
                /** @description The user whose session it is, if the key has users. */
                readonly user?: string | null;
            };
            readonly header?: never;
            readonly path: {
                readonly session_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly reset_session_sessions__session_id__reset_post: {
        readonly parameters: {
            readonly query?: {
                /** @description The user whose session it is, if the key has users. */
                readonly user?: string | null;
            };
            readonly header?: never;
            readonly path: {
                readonly session_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly erase_users_delete: {
        readonly parameters: {
            readonly query: {
                /** @description A session of the user; only it is erased. Required for keys without the scope `operate`; a publishable key also needs its token. */
                readonly session?: string | null;
                /** @description The user whose data is erased. */
                readonly user: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErasedReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
    readonly erase_by_path_users__user__delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly user: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Successful Response */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErasedReply"];
                };
            };
            /** @description Bad Request */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Unauthorized */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Forbidden */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Not Found */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Request Entity Too Large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Too Many Requests */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Internal Server Error */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
            /** @description Service Unavailable */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["ProblemBody"];
                };
            };
        };
    };
}
