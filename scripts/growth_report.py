"""The results of `make growth` as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Result = dict[str, Any]

COLUMNS = (
    ("chunks", lambda one: f"{one['size']:,}"),
    ("engine", lambda one: one["engine"]),
    ("vectors", lambda one: one["vectors"]),
    ("passages", lambda one: f"{figure(one, 'first_ingest', 'passages'):,}"),
    ("ingest s", lambda one: shown(figure(one, "first_ingest", "seconds"))),
    ("peak MB (own)", lambda one: f"{peak(one)} ({figure(one, 'first_ingest', 'peak_own_mb')})"),
    ("disk kB a passage, index + cache", lambda one: f"{kilobytes(one, 'index_bytes')} + {kilobytes(one, 'cache_bytes')}"),
    ("start s", lambda one: shown(figure(one, "start", "open_seconds"))),
    ("search p50 / p95 / p99 ms", lambda one: times(one, "search")),
    ("answer p50 / p95 / p99 ms", lambda one: times(one, "answer")),
    ("CPU ms, search / answer", lambda one: f"{cpu(one, 'search')} / {cpu(one, 'answer')}"),
    ("hit@5 search / answer", lambda one: f"{figure(one, 'search', 'hit@5')} / {figure(one, 'answer', 'hit@5')}"),
    ("edit s, named / whole", lambda one: f"{edit(one, 'edit_named')} / {edit(one, 'edit_whole')}"),
    ("edit CPU s", lambda one: f"{seconds(one, 'edit_named')} / {seconds(one, 'edit_whole')}"),
)  # fmt: skip


def table(results: Iterable[Result]) -> str:
    ordered = sorted(results, key=lambda one: (one["vectors"], one["engine"], one["size"]))
    head = [[name for name, _ in COLUMNS], ["---"] * len(COLUMNS)]
    rows = [[cell(one) for _, cell in COLUMNS] for one in ordered]
    return "\n".join(f"| {' | '.join(row)} |" for row in head + rows)


def figure(one: Result, step: str, name: str) -> Any:
    """-1 where it was not measured, or failed."""
    return one.get(step, {}).get(name, -1)


def shown(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def peak(one: Result) -> str:
    return f"{figure(one, 'first_ingest', 'peak_mb'):,}"


def kilobytes(one: Result, name: str) -> str:
    return f"{one.get(name, -1) / 1000:.1f}"


def times(one: Result, step: str) -> str:
    return " / ".join(shown(figure(one, step, f"p{share}_ms")) for share in (50, 95, 99))


def cpu(one: Result, step: str) -> str:
    """Of our process, which other programs hardly disturb; a server's is not in it."""
    return shown(figure(one, step, "cpu_ms"))


def seconds(one: Result, step: str) -> str:
    """Of the processor, with the start of the process."""
    return shown(figure(one, step, "cpu_seconds"))


def edit(one: Result, step: str) -> str:
    """With its share of the first ingest."""
    taken = figure(one, step, "seconds")
    return f"{shown(taken)} ({taken / figure(one, 'first_ingest', 'seconds'):.1%})"
