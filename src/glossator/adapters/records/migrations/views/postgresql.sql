-- They are there to be read. PostgreSQL would write through a view of one table, so each has a second one in it.

-- An id is its owner's own, and two owners may have chosen the same: all but the first have a number behind it.
CREATE VIEW session_names AS
SELECT
    s.number,
    CASE
        WHEN s.number = (SELECT min(same.number) FROM sessions same WHERE same.id = s.id) THEN s.id
        ELSE s.id || '~' || s.number
    END AS name
FROM sessions s CROSS JOIN (SELECT 1) read_only;

CREATE VIEW conversation_threads AS
SELECT
    n.name AS thread_id,
    (
        SELECT coalesce(jsonb_agg(message ORDER BY number, place), '[]')
        FROM (
            SELECT e.number, 1 AS place, jsonb_build_object(
                'role', 'user',
                'content', e.question,
                'timestamp', to_char(e.asked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
            ) AS message
            FROM exchanges e
            WHERE e.session = s.number AND e.number > s.exchanges - 25
            UNION ALL
            SELECT e.number, 2, jsonb_build_object(
                'role', 'assistant',
                'content', e.answer,
                'timestamp', to_char(e.answered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                'confidence', e.confidence
            )
            FROM exchanges e
            WHERE e.session = s.number AND e.number > s.exchanges - 25
        ) told
    ) AS messages,
    s.created_at,
    s.updated_at,
    nullif(s.topic_summary, '') AS topic_summary,
    s.metadata::jsonb AS metadata
FROM sessions s JOIN session_names n ON n.number = s.number;

CREATE VIEW conversations AS
SELECT
    e.id,
    n.name AS session_id,
    e.question AS query,
    e.answer AS response,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'source_url', c ->> 'url',
            'page_title', c ->> 'page_title',
            'section_heading', c ->> 'section',
            'chunk_text', left(c ->> 'quote', 500),
            'relevance_score', (c ->> 'similarity')::float8
        ) ORDER BY place), '[]')
        FROM json_array_elements(e.document -> 'citations') WITH ORDINALITY cited(c, place)
    ) AS sources,
    e.mode,
    e.selection ->> 'text' AS selected_text,
    coalesce((e.document #>> '{confidence,metrics,num_chunks}')::integer, 0) AS chunks_retrieved,
    e.latency_ms,
    e.answered_at AS created_at
FROM exchanges e JOIN session_names n ON n.number = e.session
WHERE e.status = 'complete';

CREATE VIEW chat_sessions AS
SELECT
    n.name AS id,
    nullif(s.owner_user, '') AS user_id,
    s.created_at,
    s.updated_at,
    s.metadata::jsonb AS metadata
FROM sessions s JOIN session_names n ON n.number = s.number;

CREATE VIEW chat_messages AS
SELECT
    e.id || '-user' AS id,
    n.name AS session_id,
    'user' AS role,
    e.question AS content,
    e.asked_at AS created_at,
    CASE
        WHEN e.selection IS NOT NULL THEN jsonb_build_object('selected_text', e.selection ->> 'text')
    END AS metadata
FROM exchanges e JOIN session_names n ON n.number = e.session
WHERE e.status = 'complete'
UNION ALL
SELECT
    e.id || '-assistant',
    n.name,
    'assistant',
    e.answer,
    e.answered_at,
    jsonb_build_object('sources', (
        SELECT coalesce(jsonb_agg(c ->> 'page' ORDER BY place), '[]')
        FROM json_array_elements(e.document -> 'citations') WITH ORDINALITY cited(c, place)
    ))
FROM exchanges e JOIN session_names n ON n.number = e.session
WHERE e.status = 'complete';
