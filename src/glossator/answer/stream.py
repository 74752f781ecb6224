"""Streams a writer's text sentence by sentence; each is checked and cited before it is shown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import zip_longest
from time import monotonic

from glossator.answer.assemble import HEADING, Assembler
from glossator.answer.cite import Citations, place_of
from glossator.answer.sanitize import sanitize
from glossator.answer.verify import EvidenceSet, Verifier
from glossator.answer.wording import IN_PART, NOT_FOUND, also_in_book
from glossator.errors import WriterTimeout
from glossator.model import Brief, Checked, Claim, Verdict
from glossator.ports import Closable, Signed, Writer
from glossator.text.markdown import citation_marks, strip_citation_marks
from glossator.work import in_thread

_BEGINS_PARAGRAPH = re.compile(r"\s*\n\s*\n")
_BLOCK = re.compile(r"\s*(?:```|~~~|\|)")
_BLOCK_ENDS = ("```", "~~~", "|")
_ABOVE_BLOCK = re.compile(r"(?:\s*+(?!```|~~~|\|)[^\n]++)*?(?<=\*\*)(?=\n\n(?:```|~~~|\|))")
"""The lines above a block, the last of which is in bold."""
_LARGEST_PART = 0.7
_NO_WORDS = re.compile(r"[\W_]*")


class Unsupported(StrEnum):
    """What happens to a sentence that the evidence does not support."""

    DROP = "drop"
    MARK = "mark"


@dataclass(slots=True)
class CheckedStream:
    """An answer while it is being written."""

    brief: Brief
    verifier: Verifier
    unsupported: Unsupported
    names_place: bool = False
    """Whether the answer begins with a link to its page and section."""
    last: str = ""
    """The words of the last answer, which this one must add to; empty where there is none."""
    citations: Citations = field(default_factory=Citations)
    claims: list[Claim] = field(default_factory=list[Claim])
    dropped: list[str] = field(default_factory=list[str])
    writer: str = ""
    model: str = ""
    _heading: str = ""
    """What stands above the next claim and claims nothing itself."""
    _dropped_above_heading: int = 0
    _repeated: int = 0
    """So many claims, from the first on, are in the last answer."""
    _evidence_set: EvidenceSet | None = None
    _evidence_count: int = 0

    async def tell(self, writer: Writer, seconds: float) -> AsyncGenerator[Claim]:
        assembler = Assembler(self.verifier.language)
        async with aclosing(self._pieces(writer, monotonic() + seconds)) as pieces:
            async for piece in pieces:
                for claim in await self._check_and_add(assembler.feed(piece)):
                    yield claim
        for claim in await self._check_and_add(assembler.end()):
            yield claim
        if self._heading and len(self.dropped) == self._dropped_above_heading:
            # It was the last thing written: a line in bold that stands over nothing is a sentence.
            text = self._heading if self.claims else self._heading.lstrip()
            yield self._add(Claim(text, Verdict.SUPPORTED, ()))

    async def _pieces(self, writer: Writer, deadline: float) -> AsyncGenerator[str]:
        """Closes the writer's stream when the consumer stops."""
        self.writer, self.model = writer.name, writer.model
        pieces = writer.write(self.brief)
        try:
            while (piece := await _next(pieces, deadline)) is not None:
                if isinstance(pieces, Signed):
                    self.writer, self.model = pieces.name, pieces.model
                yield piece
        finally:
            if isinstance(pieces, Closable):
                await pieces.aclose()

    @property
    def support(self) -> float:
        """The share of the written sentences that the evidence supports."""
        written = len(self.claims) + len(self.dropped)
        supported = sum(claim.verdict is Verdict.SUPPORTED for claim in self.claims)
        partly = sum(claim.verdict is Verdict.PARTLY for claim in self.claims)
        return (supported + 0.5 * partly) / written if written else 0.0

    @property
    def repeats(self) -> bool:
        """Whether the last answer contains all claims so far."""
        while self._repeated < len(self.claims) and _words_of(self.claims[self._repeated]) in self.last:
            self._repeated += 1
        return bool(self.last) and 0 < self._repeated == len(self.claims)

    @property
    def adds(self) -> bool:
        """Whether it says something new, or is a clearly shorter part of the last answer."""
        size = sum(len(strip_citation_marks(claim.text).split()) for claim in self.claims)
        is_part = size < _LARGEST_PART * len(self.last.split())
        return bool(self.claims) and (not self.repeats or is_part)

    async def _check_and_add(self, parts: Sequence[str]) -> Sequence[Claim]:
        """The new claims. Of those in a row with one citation only the last has its mark."""
        first = len(self.claims)
        for part in parts:
            await self._check_part(part)
        before: Claim | None = self.claims[first - 1] if first else None
        unmarked = self.claims[first:]
        for index, (claim, after) in enumerate(zip_longest(unmarked, unmarked[1:]), first):
            if not (_continues(before, claim) or _shares_mark(claim, after)):
                self.claims[index] = _with_citation_marks(claim)
            before = claim
        return self.claims[first:]

    async def _check_part(self, part: str) -> None:
        if part.strip() == also_in_book():
            self._heading += part
            return
        text, checked = await in_thread(self._check, part)
        if checked is None:
            return
        if checked.verdict is Verdict.UNSUPPORTED and self.unsupported is Unsupported.DROP:
            self.dropped.append(text.strip())
        elif checked.verdict is Verdict.SUPPORTED and HEADING.fullmatch(text.strip()):
            self._heading += text
            self._dropped_above_heading = len(self.dropped)
        else:
            self._add(self._claim(text, checked))

    def _add(self, claim: Claim) -> Claim:
        self._heading = ""
        self.claims.append(claim)
        return claim

    def _check(self, part: str) -> tuple[str, Checked | None]:
        """The sanitized text and its check; None if the text has no words."""
        # The writer's own citation marks are removed: the check decides what to cite.
        text = sanitize(strip_citation_marks(part).rstrip(), self._source_texts)
        if _NO_WORDS.fullmatch(text):
            return text, None
        # The evidence that the writer cited is only checked first.
        cited = "".join(mark[0] for mark in citation_marks(part))
        return text, self.verifier.check(f"{text} {cited}", self._evidence())

    def _evidence(self) -> EvidenceSet:
        """Read again when a search of the writer has added evidence."""
        if self._evidence_set is None or self._evidence_count != len(self.brief.evidence):
            self._evidence_count = len(self.brief.evidence)
            self._evidence_set = self.verifier.read(self.brief.evidence)
        return self._evidence_set

    def _claim(self, text: str, checked: Checked) -> Claim:
        text = self._with_heading(text, checked)
        if checked.verdict is Verdict.UNSUPPORTED:
            return Claim(f"{text}{_gap(text)}{NOT_FOUND}", checked.verdict, ())
        numbers = self.citations.number(checked)
        if checked.verdict is Verdict.PARTLY:
            text = f"{text}{_gap(text)}{IN_PART}"
        return Claim(text, checked.verdict, numbers)

    def _with_heading(self, text: str, checked: Checked) -> str:
        """The first claim has no white space before it, even if it is not the first sentence written."""
        if self.names_place and not self.claims and checked.evidence and checked.span:
            # The place stands for the heading of the section, the first line in bold.
            labels = self._heading.strip().partition("\n\n")[2]
            place = place_of(checked.evidence.chunk, checked.span.start)
            return "\n\n".join(filter(None, (f"**{place}**", labels, text.lstrip())))
        text = f"{self._heading}{text}"
        return text if self.claims else text.lstrip()

    @property
    def _source_texts(self) -> Sequence[str]:
        return [evidence.chunk.text for evidence in self.brief.evidence]


def _words_of(claim: Claim) -> str:
    """Without the line above it, which other answers with the same claim may not have."""
    return " ".join(strip_citation_marks(claim.text).replace(also_in_book(), "").split())


async def _next(pieces: AsyncIterator[str], deadline: float) -> str | None:
    try:
        async with asyncio.timeout(max(deadline - monotonic(), 0.0)):
            return await anext(pieces, None)
    except TimeoutError as error:
        raise WriterTimeout from error


def _continues(before: Claim | None, claim: Claim) -> bool:
    """A block needs no mark of its own if what stands before it has the same one."""
    return before is not None and bool(_BLOCK.match(claim.text)) and before.citations == claim.citations


def _shares_mark(claim: Claim, after: Claim | None) -> bool:
    """Whether the next sentence of its paragraph, or the next item of its list, carries the mark of both."""
    if after is None or {claim.verdict, after.verdict} != {Verdict.SUPPORTED}:
        return False
    return claim.citations == after.citations and not _BEGINS_PARAGRAPH.match(after.text)


def _with_citation_marks(claim: Claim) -> Claim:
    """At the end; of a block below a heading, behind the heading: a mark alone on a line says little."""
    marks_text = "".join(f"[{number}]" for number in claim.citations)
    if not marks_text:
        return claim
    above = _ABOVE_BLOCK.match(claim.text)
    end = above.end() if above else len(claim.text)
    gap = " " if above else _gap(claim.text)
    return replace(claim, text=f"{claim.text[:end]}{gap}{marks_text}{claim.text[end:]}")


def _gap(text: str) -> str:
    """After a block, text goes on a line of its own."""
    return "\n\n" if text.rstrip().endswith(_BLOCK_ENDS) else " "
