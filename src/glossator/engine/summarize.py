"""What a session was about, in a line: the sections that were cited, those cited most first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from glossator.model import Topic

FROM_EXCHANGE = 5
LONGEST = 200

_NOTHING_CITED = "Questions that the book does not answer"


def summarize(topics: Sequence[Topic]) -> str:
    """Empty before the fifth exchange; at most 200 characters, and never half a title."""
    if len(topics) < FROM_EXCHANGE:
        return ""
    counted = Counter(section for topic in topics for section in topic.sections if section.strip())
    summary = _joined([section for section, _ in counted.most_common()])
    return summary or _NOTHING_CITED


def _joined(titles: Sequence[str]) -> str:
    summary = ""
    for title in titles:
        longer = f"{summary}; {title}" if summary else title[:LONGEST]
        if len(longer) > LONGEST:
            break
        summary = longer
    return summary
