"""Small books with something wrong in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from glossator.ingest.sites import site_of
from glossator.lint import CheckReport, Find, FindingKind, check

DOCUSAURUS = {"docusaurus.config.js": "export default {url: 'https://x.example', baseUrl: '/'};"}
MDBOOK = {"book.toml": "[book]\ntitle = 'Robots'\n"}
MKDOCS = {"mkdocs.yml": "site_name: Robots\n"}


def write_book(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def check_book(folder: Path, files: Mapping[str, str | bytes], find: Find | None = None) -> CheckReport:
    root = write_book(folder, files)
    return check(root, site_of(root), find)


def found(report: CheckReport, *kinds: FindingKind) -> list[tuple[str, int | None, str]]:
    """Page, line and text of the findings, of the given kinds or of all."""
    wanted = kinds or tuple(FindingKind)
    return [
        (finding.page, finding.line, finding.text) for finding in report.findings if finding.kind in wanted
    ]
