"""What only a very large book shows, on a Qdrant server."""

from __future__ import annotations

from dataclasses import replace

from glossator.adapters.index.server import Server
from glossator.adapters.index.server_index import ServerIndex
from glossator.adapters.index.server_store import ServerIndexStore
from glossator.model import PageRecord
from support.index_books import TOY, fill, manifest_of, three_chapters


def test_a_manifest_larger_than_a_request_may_be_is_kept(server: Server) -> None:
    folder = "a-folder-with-a-long-name/" * 8
    pages = [
        PageRecord(f"{folder}{number}.md", "A page", f"/{folder}{number}", "A chapter", "a" * 64, 1, "b" * 64)
        for number in range(60_000)
    ]
    entries = three_chapters()
    with ServerIndexStore(server).build(TOY, "english") as generation:
        fill(generation, entries)
        manifest = replace(manifest_of(generation.number, entries), pages=tuple(pages))
        generation.publish(manifest)
    assert ServerIndex(server).manifest().pages == manifest.pages
