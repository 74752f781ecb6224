-- They are there to be read. PostgreSQL would write through a view of one table, so each has a second one in it.
-- Each view has the sessions of its own contract, by the name that no two of them share.

CREATE VIEW conversation_threads AS
SELECT
    s.name AS thread_id,
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
                'content', e.answer || coalesce(E'\n\n' || (e.document ->> 'disclaimer'), ''),
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
FROM sessions s CROSS JOIN (SELECT 1) read_only
WHERE s.contract = 'threads';

CREATE VIEW conversations AS
SELECT
    CASE WHEN e.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN e.id ELSE overlay(md5(e.id)::uuid::text PLACING '5' FROM 15) END::uuid AS id,
    s.name AS session_id,
    e.question AS query,
    e.answer || coalesce(E'\n\n' || (e.document ->> 'disclaimer'), '') AS response,
    (
        SELECT coalesce(jsonb_agg(CASE c ->> 'page'
            WHEN '' THEN (
                SELECT jsonb_build_object(
                    'source_url', 'selected_text',
                    'page_title', 'User Selection',
                    'section_heading', 'User Selection',
                    'chunk_text', left(c ->> 'quote', 500),
                    'relevance_score', (c ->> 'similarity')::float8,
                    'char_start', cited.first,
                    'char_end', cited.last,
                    'line_start', 1 + length(before) - length(replace(before, E'\n', '')),
                    'line_end', 1 + length(upto) - length(replace(upto, E'\n', ''))
                )
                FROM (
                    SELECT
                        first,
                        last,
                        left(whole, first) AS before,
                        left(whole, greatest(last - 1, first)) AS upto
                    FROM (
                        SELECT
                            e.selection ->> 'text' AS whole,
                            (c ->> 'start')::integer AS first,
                            (c ->> 'end')::integer AS last
                    ) places
                ) cited
            )
            ELSE jsonb_build_object(
                'source_url', c ->> 'url',
                'page_title', c ->> 'page_title',
                'section_heading', coalesce(nullif(c ->> 'section', ''), 'Introduction'),
                'chunk_text', left(c ->> 'quote', 500),
                'relevance_score', (c ->> 'similarity')::float8
            )
        END ORDER BY place), '[]')
        FROM json_array_elements(e.document -> 'citations') WITH ORDINALITY cited(c, place)
    ) AS sources,
    e.mode,
    e.selection ->> 'text' AS selected_text,
    coalesce(
        (e.document #>> '{confidence,metrics,num_chunks}')::integer, json_array_length(e.document -> 'citations')
    ) AS chunks_retrieved,
    e.latency_ms,
    e.answered_at AS created_at
FROM exchanges e JOIN sessions s ON s.number = e.session
WHERE e.status = 'complete' AND s.contract = 'citations';

CREATE VIEW chat_sessions AS
SELECT
    s.name::uuid AS id,
    s.owner_user AS user_id,
    s.created_at,
    s.updated_at,
    s.metadata::jsonb AS metadata
FROM sessions s CROSS JOIN (SELECT 1) read_only
WHERE s.contract = 'course';

-- An answer has the id of its exchange, its question the same with an 8 for the version: both stay what they are.
-- An id that is no UUID is hashed to one of version 5, so that the two always differ.
CREATE VIEW chat_messages AS
SELECT
    overlay(
        CASE WHEN e.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN e.id ELSE overlay(md5(e.id)::uuid::text PLACING '5' FROM 15) END
        PLACING '8' FROM 15
    )::uuid AS id,
    s.name::uuid AS session_id,
    'user' AS role,
    e.question AS content,
    e.asked_at AS created_at,
    CASE
        WHEN e.selection IS NOT NULL THEN jsonb_build_object('selected_text', e.selection ->> 'text')
    END AS metadata
FROM exchanges e JOIN sessions s ON s.number = e.session
WHERE e.status = 'complete' AND s.contract = 'course'
UNION ALL
SELECT
    CASE WHEN e.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN e.id ELSE overlay(md5(e.id)::uuid::text PLACING '5' FROM 15) END::uuid,
    s.name::uuid,
    'assistant',
    e.answer || coalesce(E'\n\n' || (e.document ->> 'disclaimer'), ''),
    e.answered_at,
    jsonb_strip_nulls(jsonb_build_object(
        'selected_text', e.selection ->> 'text',
        'sources', (
            SELECT coalesce(jsonb_agg(coalesce(nullif(c ->> 'page', ''), 'selected_text') ORDER BY place), '[]')
            FROM json_array_elements(e.document -> 'citations') WITH ORDINALITY cited(c, place)
        )
    ))
FROM exchanges e JOIN sessions s ON s.number = e.session
WHERE e.status = 'complete' AND s.contract = 'course';
