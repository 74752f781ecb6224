"""The results of `make growth` as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Result = dict[str, Any]

COLUMNS = (
    ("chunks", lambda result: f"{result['size']:,}"),
    ("engine", lambda result: result["engine"]),
    ("vectors", lambda result: result["vectors"]),
    ("passages", lambda result: f"{figure(result, 'first_ingest', 'passages'):,}"),
    ("ingest s", lambda result: shown(figure(result, "first_ingest", "seconds"))),
    ("peak MB (own)", lambda result: f"{peak(result)} ({figure(result, 'first_ingest', 'peak_own_mb')})"),
    ("disk kB a passage, index + cache", lambda result: f"{kilobytes(result, 'index_bytes')} + {kilobytes(result, 'cache_bytes')}"),
    ("start s", lambda result: shown(figure(result, "start", "open_seconds"))),
    ("search p50 / p95 / p99 ms", lambda result: times(result, "search")),
    ("answer p50 / p95 / p99 ms", lambda result: times(result, "answer")),
    ("CPU ms, search / answer", lambda result: f"{cpu(result, 'search')} / {cpu(result, 'answer')}"),
    ("hit@5 search / answer", lambda result: f"{figure(result, 'search', 'hit@5')} / {figure(result, 'answer', 'hit@5')}"),
    ("edit s, named / whole", lambda result: f"{edit(result, 'edit_named')} / {edit(result, 'edit_whole')}"),
    ("edit CPU s", lambda result: f"{seconds(result, 'edit_named')} / {seconds(result, 'edit_whole')}"),
)  # fmt: skip


def table(results: Iterable[Result]) -> str:
    ordered = sorted(results, key=lambda result: (result["vectors"], result["engine"], result["size"]))
    head = [[name for name, _ in COLUMNS], ["---"] * len(COLUMNS)]
    rows = [[cell(result) for _, cell in COLUMNS] for result in ordered]
    return "\n".join(f"| {' | '.join(row)} |" for row in head + rows)


def figure(result: Result, step: str, name: str) -> Any:
    """-1 where it was not measured, or failed."""
    return result.get(step, {}).get(name, -1)


def shown(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def peak(result: Result) -> str:
    return f"{figure(result, 'first_ingest', 'peak_mb'):,}"


def kilobytes(result: Result, name: str) -> str:
    return f"{result.get(name, -1) / 1000:.1f}"


def times(result: Result, step: str) -> str:
    return " / ".join(shown(figure(result, step, f"p{share}_ms")) for share in (50, 95, 99))


def cpu(result: Result, step: str) -> str:
    """Of our process, which other programs hardly disturb; a server's is not in it."""
    return shown(figure(result, step, "cpu_ms"))


def seconds(result: Result, step: str) -> str:
    """Of the processor, with the start of the process."""
    return shown(figure(result, step, "cpu_seconds"))


def edit(result: Result, step: str) -> str:
    """With its share of the first ingest."""
    taken = figure(result, step, "seconds")
    return f"{shown(taken)} ({taken / figure(result, 'first_ingest', 'seconds'):.1%})"
