"""Small briefs, made by hand, and what a writer makes of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from glossator.model import Brief, Chunk, Evidence, Section
from glossator.ports import Writer

TOPICS = "Nodes exchange messages over topics. A topic has a name and a type."
SERVICES = "A service answers a request once."


def evidence(number: int, text: str, title: str = "Communication") -> Evidence:
    section = Section(title=title, anchor=title.lower(), path=("ROS 2", title), start=0)
    chunk = Chunk(
        page=f"page-{number}.md",
        page_title="Robots",
        page_url=f"https://book.example/page-{number}",
        chapter="1",
        index=0,
        sections=(section,),
        text=text,
        start=0,
        end=len(text),
        token_count=len(text.split()),
        content_hash=f"{number:064x}",
    )
    return Evidence(number=number, chunk=chunk, section=section, units=(), similarity=0.9)


def brief(question: str = "How do nodes talk?", **options: object) -> Brief:
    return Brief(question, options.pop("evidence", (evidence(1, TOPICS),)), **options)  # type: ignore[arg-type]


@dataclass
class IndexStore:
    """A search that finds one new piece of evidence each time, and remembers what it was asked."""

    finds: Sequence[str] = (SERVICES, "Actions report progress.", "Parameters configure a node.")
    queries: list[str] = field(default_factory=list[str])

    async def search(self, query: str) -> Sequence[Evidence]:
        self.queries.append(query)
        number = 1 + len(self.queries)
        return [evidence(number, self.finds[number - 2])]


def written(writer: Writer, asked: Brief) -> list[str]:
    return asyncio.run(collect(writer.write(asked)))


async def collect(pieces: AsyncIterator[str]) -> list[str]:
    return [piece async for piece in pieces]
