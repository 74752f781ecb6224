"""Formats values for the terminal, or with `--json` for programs."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import click
from pydantic import TypeAdapter

from glossator.lint import CheckReport, PageFinding
from glossator.model import Hit, IngestReport, Manifest
from glossator.settings import Settings

_EXCERPT = 4
"""How many lines of a hit's passage are printed."""
_ANYTHING = TypeAdapter[Any](Any)


def json(value: object) -> str:
    return _ANYTHING.dump_json(value, indent=2).decode()


def json_line(value: object) -> str:
    return _ANYTHING.dump_json(value).decode()


def terminal_width() -> int:
    """The width of the terminal, but not wider than is easily read."""
    return min(shutil.get_terminal_size().columns, 100)


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def report(report: IngestReport) -> str:
    lines = [f"{_skipped(skip.page, skip.reason)}" for skip in report.skipped]
    if report.changed:
        lines.append(
            f"Generation {report.generation} is ready: {count(report.pages, 'page')}, "
            f"{count(report.chunks, 'chunk')}, {count(report.passages, 'passage')}."
        )
        lines.append(
            f"{report.embedded:,} embedded, {report.reused:,} reused, "
            f"{count(report.removed, 'chunk')} removed, {report.seconds:.1f} s."
        )
    else:
        lines.append(
            f"Nothing changed: generation {report.generation} has {count(report.pages, 'page')} and "
            f"{count(report.chunks, 'chunk')} ({report.seconds:.1f} s)."
        )
    return "\n".join(lines)


def _skipped(page: str, reason: str) -> str:
    return click.style(f"Skipped: {page} {reason}.", fg="yellow")


def hit_fields(hit: Hit) -> dict[str, object]:
    chunk, passage = hit.chunk, hit.passage
    return {
        "chunk_id": chunk.chunk_id,
        "page": chunk.page,
        "page_title": chunk.page_title,
        "chapter": chunk.chapter,
        "section": passage.section.title,
        "url": passage.url,
        "chunk_index": chunk.index,
        "content_hash": chunk.content_hash,
        "token_count": chunk.token_count,
        "similarity": hit.similarity,
        "scores": hit.scores,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "passage": {"start": passage.start, "end": passage.end},
    }


def hits(hits: Sequence[Hit], site_origin: str) -> str:
    if not hits:
        return "The book has nothing on that."
    return "\n\n".join(_hit(number, hit, site_origin) for number, hit in enumerate(hits, 1))


def whole_address(url: str, site_origin: str) -> str:
    """An address that a terminal makes a link of; only one that begins with a slash lacks the origin."""
    return f"{site_origin}{url}" if url.startswith("/") else url


def _hit(number: int, hit: Hit, site_origin: str) -> str:
    path = " > ".join([hit.chunk.page_title, *hit.passage.section.path])
    head = click.style(f"{number}. {path}", bold=True)
    address = whole_address(hit.passage.url, site_origin)
    link = click.style(f"   {hit.similarity:.2f}  {address}", dim=True)
    return "\n".join([head, link, *_excerpt(hit)])


def _excerpt(hit: Hit) -> list[str]:
    """The first lines of the passage, wrapped."""
    width = terminal_width() - 3
    _, _, text = hit.passage.reading.partition("\n")
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, width)]
    shown = [f"   {line}" for line in lines[:_EXCERPT]]
    return [*shown[:-1], f"{shown[-1]} …"] if len(lines) > _EXCERPT else shown


def findings(report: CheckReport) -> str:
    lines = [_finding(finding) for finding in report.findings]
    checked = f"{count(report.pages, 'page')} and {count(report.links, 'link')} looked at"
    note = "" if report.asked else " (not searched for: the book is not in the index)"
    return "\n".join([*lines, f"{count(len(report.findings), 'finding')}, {checked}{note}."])


def _finding(finding: PageFinding) -> str:
    location = finding.page if finding.line is None else f"{finding.page}:{finding.line}"
    return f"{click.style(location, bold=True)}: {finding.message} [{finding.kind}]"


def manifest_fields(manifest: Manifest, settings: Settings) -> dict[str, object]:
    return {"index": _index_location(settings), "manifest": manifest}


def manifest(manifest: Manifest, settings: Settings) -> str:
    model = manifest.embedder
    chapters = len({page.chapter for page in manifest.pages})
    rows = {
        "Book": manifest.book,
        "Site": manifest.site,
        "Language": manifest.lexicon.language,
        "Generation": f"{manifest.generation}, made {manifest.created_at}",
        "Pages": f"{len(manifest.pages):,} in {count(chapters, 'chapter')}",
        "Chunks": f"{manifest.chunks:,}, in {count(manifest.passages, 'passage')}",
        "Model": f"{model.name}, {model.dimension} dimensions, {model.fingerprint[:12]}",
        "Index": _index_location(settings),
    }
    return "\n".join(f"{name:<12}{value}" for name, value in rows.items())


def _index_location(settings: Settings) -> str:
    if settings.qdrant_url:
        return f"Qdrant server, collection {settings.index_collection}"
    return f"embedded, in {settings.index_home.resolve()}"
