-- An id is its owner's own, and two owners may have chosen the same: all but the first have a number behind it.
CREATE VIEW session_names AS
SELECT
    s.number,
    CASE
        WHEN s.number = (SELECT min(same.number) FROM sessions same WHERE same.id = s.id) THEN s.id
        ELSE s.id || '~' || s.number
    END AS name
FROM sessions s;

CREATE VIEW conversation_threads AS
SELECT
    n.name AS thread_id,
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
                'content', e.answer,
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
FROM sessions s JOIN session_names n ON n.number = s.number;

CREATE VIEW conversations AS
SELECT
    e.id,
    n.name AS session_id,
    e.question AS query,
    e.answer AS response,
    (
        SELECT json_group_array(json_object(
            'source_url', json_extract(c.value, '$.url'),
            'page_title', json_extract(c.value, '$.page_title'),
            'section_heading', json_extract(c.value, '$.section'),
            'chunk_text', substr(json_extract(c.value, '$.quote'), 1, 500),
            'relevance_score', json_extract(c.value, '$.similarity')
        ))
        FROM json_each(e.document, '$.citations') c
    ) AS sources,
    e.mode,
    json_extract(e.selection, '$.text') AS selected_text,
    coalesce(json_extract(e.document, '$.confidence.metrics.num_chunks'), 0) AS chunks_retrieved,
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
    s.metadata
FROM sessions s JOIN session_names n ON n.number = s.number;

CREATE VIEW chat_messages AS
SELECT
    e.id || '-user' AS id,
    n.name AS session_id,
    'user' AS role,
    e.question AS content,
    e.asked_at AS created_at,
    CASE
        WHEN e.selection IS NOT NULL THEN json_object('selected_text', json_extract(e.selection, '$.text'))
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
    json_object('sources', (
        SELECT json_group_array(json_extract(c.value, '$.page')) FROM json_each(e.document, '$.citations') c
    ))
FROM exchanges e JOIN session_names n ON n.number = e.session
WHERE e.status = 'complete';
