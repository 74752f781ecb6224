-- Each view has the sessions of its own contract, by the name that no two of them share.

CREATE VIEW conversation_threads AS
SELECT
    s.name AS thread_id,
    (
        SELECT json_group_array(json(message))
        FROM (
            SELECT e.number, 1 AS place, json_object(
                'role', 'user',
                'content', e.question,
                'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', e.asked_at)
            ) AS message
            FROM exchanges e
            WHERE e.session = s.number AND e.number > s.exchanges - 25
            UNION ALL
            SELECT e.number, 2, json_object(
                'role', 'assistant',
                'content', e.answer || coalesce(char(10, 10) || json_extract(e.document, '$.disclaimer'), ''),
                'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', e.answered_at),
                'confidence', e.confidence
            )
            FROM exchanges e
            WHERE e.session = s.number AND e.number > s.exchanges - 25
            ORDER BY 1, 2
        )
    ) AS messages,
    s.created_at,
    s.updated_at,
    nullif(s.topic_summary, '') AS topic_summary,
    s.metadata
FROM sessions s
WHERE s.contract = 'threads';

CREATE VIEW conversations AS
SELECT
    e.id,
    s.name AS session_id,
    e.question AS query,
    e.answer || coalesce(char(10, 10) || json_extract(e.document, '$.disclaimer'), '') AS response,
    (
        SELECT json_group_array(json(CASE json_extract(c.value, '$.page')
            WHEN '' THEN (
                SELECT json_object(
                    'source_url', 'selected_text',
                    'page_title', 'User Selection',
                    'section_heading', 'User Selection',
                    'chunk_text', substr(json_extract(c.value, '$.quote'), 1, 500),
                    'relevance_score', json_extract(c.value, '$.similarity'),
                    'char_start', cited.first,
                    'char_end', cited.last,
                    'line_start', 1 + length(before) - length(replace(before, char(10), '')),
                    'line_end', 1 + length(upto) - length(replace(upto, char(10), ''))
                )
                FROM (
                    SELECT
                        first,
                        last,
                        substr(whole, 1, first) AS before,
                        substr(whole, 1, max(last - 1, first)) AS upto
                    FROM (
                        SELECT
                            json_extract(e.selection, '$.text') AS whole,
                            json_extract(c.value, '$.start') AS first,
                            json_extract(c.value, '$.end') AS last
                    )
                ) cited
            )
            ELSE json_object(
                'source_url', json_extract(c.value, '$.url'),
                'page_title', json_extract(c.value, '$.page_title'),
                'section_heading', coalesce(nullif(json_extract(c.value, '$.section'), ''), 'Introduction'),
                'chunk_text', substr(json_extract(c.value, '$.quote'), 1, 500),
                'relevance_score', json_extract(c.value, '$.similarity')
            )
        END))
        FROM json_each(e.document, '$.citations') c
    ) AS sources,
    e.mode,
    json_extract(e.selection, '$.text') AS selected_text,
    coalesce(
        json_extract(e.document, '$.confidence.metrics.num_chunks'),
        json_array_length(e.document, '$.citations')
    ) AS chunks_retrieved,
    e.latency_ms,
    e.answered_at AS created_at
FROM exchanges e JOIN sessions s ON s.number = e.session
WHERE e.status = 'complete' AND s.contract = 'citations';

CREATE VIEW chat_sessions AS
SELECT
    s.name AS id,
    s.owner_user AS user_id,
    s.created_at,
    s.updated_at,
    s.metadata
FROM sessions s
WHERE s.contract = 'course';

-- An answer has the id of its exchange, its question the same with an 8 for the version: both stay what they are.
CREATE VIEW chat_messages AS
SELECT
    substr(e.id, 1, 14) || '8' || substr(e.id, 16) AS id,
    s.name AS session_id,
    'user' AS role,
    e.question AS content,
    e.asked_at AS created_at,
    CASE
        WHEN e.selection IS NOT NULL THEN json_object('selected_text', json_extract(e.selection, '$.text'))
    END AS metadata
FROM exchanges e JOIN sessions s ON s.number = e.session
WHERE e.status = 'complete' AND s.contract = 'course'
UNION ALL
SELECT
    e.id,
    s.name,
    'assistant',
    e.answer || coalesce(char(10, 10) || json_extract(e.document, '$.disclaimer'), ''),
    e.answered_at,
    json_patch('{}', json_object(
        'selected_text', json_extract(e.selection, '$.text'),
        'sources', (
            SELECT json_group_array(coalesce(nullif(json_extract(c.value, '$.page'), ''), 'selected_text'))
            FROM json_each(e.document, '$.citations') c
        )
    ))
FROM exchanges e JOIN sessions s ON s.number = e.session
WHERE e.status = 'complete' AND s.contract = 'course';
