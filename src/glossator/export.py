"""The whole book from its index, page by page, so that a large book needs no more memory than a small one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from glossator.answer.wording import link
from glossator.errors import IndexUnavailable
from glossator.model import Chunk, Manifest, PageRecord
from glossator.ports import Index


def chunks_of(index: Index, manifest: Manifest) -> Iterator[Chunk]:
    """Every chunk in reading order. Raises IndexUnavailable when another ingest ends meanwhile."""
    for page in manifest.pages:
        yield from page_chunks(index, manifest, page)


def page_chunks(index: Index, manifest: Manifest, page: PageRecord) -> Sequence[Chunk]:
    found = [index.chunk(f"{page.path}#{number}") for number in range(page.chunks)]
    chunks = [chunk for chunk in found if chunk is not None]
    # Asked after the chunks were read: one generation's pages must not be mixed with another's.
    if len(chunks) < page.chunks or index.manifest().generation != manifest.generation:
        raise IndexUnavailable("The book was ingested again while it was being read: read it again.")
    return chunks


def chunk_fields(chunk: Chunk) -> dict[str, object]:
    """A chunk for other programs, with names as in `glossator search --json`."""
    return {
        "chunk_id": chunk.chunk_id,
        "page": chunk.page,
        "page_title": chunk.page_title,
        "page_url": chunk.page_url,
        "chapter": chunk.chapter,
        "chunk_index": chunk.index,
        "sections": [
            {"title": section.title, "path": section.path, "url": chunk.url_of(section)}
            for section in chunk.sections
        ],
        "content_hash": chunk.content_hash,
        "token_count": chunk.token_count,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
    }


# llms.txt: a book for language models (llmstxt.org).


def llms_txt(manifest: Manifest) -> str:
    """The book's title and size, and its pages with their addresses, by chapter."""
    chapters = [
        f"## {chapter}\n\n" + "\n".join(f"- {link(page.title, page.url)}" for page in pages)
        for chapter, pages in groupby(manifest.pages, key=lambda page: page.chapter)
    ]
    whole = f"## Optional\n\n- {link('The whole text', 'llms-full.txt')}: all pages as one Markdown file"
    return "\n\n".join([_head(manifest), *chapters, whole]) + "\n"


def llms_full_head(manifest: Manifest) -> str:
    """What stands before the pages."""
    return f"{_head(manifest)}\n"


def page_markdown(page: PageRecord, chunks: Sequence[Chunk]) -> str:
    """A page of llms-full.txt: its title, its address and its Markdown."""
    text = _joined(chunks)
    first, _, rest = text.partition("\n")
    body = rest.lstrip("\n") if first.strip() == f"# {page.title}" else text
    return f"\n# {page.title}\n\nSource: {page.url}\n\n{body.rstrip()}\n"


def _head(manifest: Manifest) -> str:
    chapters = len({page.chapter for page in manifest.pages})
    pages = f"{len(manifest.pages)} {'page' if len(manifest.pages) == 1 else 'pages'}"
    size = f"{pages} in {chapters} {'chapter' if chapters == 1 else 'chapters'}, in reading order."
    return f"# {manifest.book}\n\n> {size}"


def _joined(chunks: Sequence[Chunk]) -> str:
    """Chunks overlap; what a chunk repeats of the one before is left out."""
    parts, position = list[str](), 0
    for chunk in chunks:
        repeated = max(position - chunk.start, 0)
        gap = "\n\n" if parts and chunk.start > position else ""
        parts.append(gap + chunk.text[repeated:])
        position = max(position, chunk.end)
    return "".join(parts)
