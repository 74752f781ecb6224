"""What a writer says is told sentence by sentence, each checked before anybody sees it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

from glossator.answer.assemble import Assembler
from glossator.answer.cite import Citations, place_of
from glossator.answer.sanitize import sanitize
from glossator.answer.verify import EvidenceSet, Verifier
from glossator.answer.wording import IN_PART, NOT_FOUND
from glossator.errors import WriterTimeout
from glossator.model import Brief, Checked, Claim, Verdict
from glossator.ports import Closable, Signed, Writer
from glossator.text.markdown import marks, without_marks
from glossator.work import in_thread

_BLOCK = re.compile(r"\s*(?:```|~~~|\|)")
_BLOCK_ENDS = ("```", "~~~", "|")
_CLEARLY_LESS = 0.7
_NOTHING_SAID = re.compile(r"[\W_]*")


class Unsupported(StrEnum):
    """What becomes of a sentence that the evidence does not carry."""

    DROP = "drop"
    MARK = "mark"


@dataclass(slots=True)
class CheckedStream:
    """An answer while it is being told."""

    brief: Brief
    verifier: Verifier
    unsupported: Unsupported
    names_place: bool = False
    """Whether the answer begins with the page and section that it comes from."""
    citations: Citations = field(default_factory=Citations)
    claims: list[Claim] = field(default_factory=list[Claim])
    dropped: list[str] = field(default_factory=list[str])
    writer: str = ""
    model: str = ""
    _known: EvidenceSet | None = None
    _read: int = 0

    async def tell(self, writer: Writer, seconds: float) -> AsyncGenerator[Claim]:
        assembler = Assembler()
        async with aclosing(self._pieces(writer, monotonic() + seconds)) as pieces:
            async for piece in pieces:
                for part in assembler.feed(piece):
                    if claim := await self._checked(part):
                        yield claim
        for part in assembler.end():
            if claim := await self._checked(part):
                yield claim

    async def _pieces(self, writer: Writer, ends: float) -> AsyncGenerator[str]:
        """Whoever stops listening hangs up on the writer."""
        self.writer, self.model = writer.name, writer.model
        pieces = writer.write(self.brief)
        try:
            while (piece := await _next(pieces, ends)) is not None:
                if isinstance(pieces, Signed):
                    self.writer, self.model = pieces.name, pieces.model
                yield piece
        finally:
            if isinstance(pieces, Closable):
                await pieces.aclose()

    @property
    def support(self) -> float:
        """The share of what was written that the evidence carries."""
        written = len(self.claims) + len(self.dropped)
        carried = sum(claim.verdict is Verdict.SUPPORTED for claim in self.claims)
        partly = sum(claim.verdict is Verdict.PARTLY for claim in self.claims)
        return (carried + 0.5 * partly) / written if written else 0.0

    def repeats(self, last: str) -> bool:
        """Whether all that was told so far stands in the last answer."""
        said = " ".join(without_marks(last).split())
        return bool(said and self.claims) and all(
            " ".join(without_marks(claim.text).split()) in said for claim in self.claims
        )

    def adds_to(self, last: str) -> bool:
        """Whether the last answer did not tell it, or told clearly more: then this is the part asked for."""
        told = sum(len(without_marks(claim.text).split()) for claim in self.claims)
        is_part = told < _CLEARLY_LESS * len(without_marks(last).split())
        return bool(self.claims) and (not self.repeats(last) or is_part)

    async def _checked(self, part: str) -> Claim | None:
        text, checked = await in_thread(self._check, part, self._evidence())
        if checked is None:
            return None
        if checked.verdict is Verdict.UNSUPPORTED and self.unsupported is Unsupported.DROP:
            self.dropped.append(text.strip())
            return None
        claim = self._claim(text, checked)
        self.claims.append(claim)
        return claim

    def _check(self, part: str, evidence: EvidenceSet) -> tuple[str, Checked | None]:
        """What may be shown of it, and what the evidence says to that; None where nothing is said."""
        # Without the writer's own marks: which evidence carries a sentence, the check decides.
        text = sanitize(without_marks(part).rstrip(), self._sources)
        if _NOTHING_SAID.fullmatch(text):
            return text, None
        # Which evidence the writer names is where to look first, and no more than that.
        cited = "".join(mark[0] for mark in marks(part))
        return text, self.verifier.check(f"{text} {cited}", evidence)

    def _evidence(self) -> EvidenceSet:
        """Read once, and again when a search of the writer has brought more."""
        if self._known is None or self._read != len(self.brief.evidence):
            self._read = len(self.brief.evidence)
            self._known = self.verifier.read(self.brief.evidence)
        return self._known

    def _claim(self, text: str, checked: Checked) -> Claim:
        if checked.verdict is Verdict.UNSUPPORTED:
            text = self._spaced(text)
            return Claim(f"{text}{_gap(text)}{NOT_FOUND}", checked.verdict, ())
        numbers = self.citations.number(checked)
        text = self._spaced(text)
        if checked.verdict is Verdict.PARTLY:
            text = f"{text}{_gap(text)}{IN_PART}"
        if self.names_place and not self.claims and checked.evidence and checked.span:
            text = f"**{place_of(checked.evidence.chunk, checked.span.start)}**\n\n{text}"
        # A mark on a line of its own tells nothing where what leads to the block has the same one.
        is_led_to = bool(_BLOCK.match(text) and self.claims and self.claims[-1].citations == numbers)
        return Claim(text if is_led_to else _marked(text, numbers), checked.verdict, numbers)

    def _spaced(self, text: str) -> str:
        """The first sentence begins the answer, also when those before it were dropped."""
        return text if self.claims else text.lstrip()

    @property
    def _sources(self) -> Sequence[str]:
        return [one.chunk.text for one in self.brief.evidence]


async def _next(pieces: AsyncIterator[str], ends: float) -> str | None:
    try:
        async with asyncio.timeout(max(ends - monotonic(), 0.0)):
            return await anext(pieces, None)
    except TimeoutError as error:
        raise WriterTimeout from error


def _marked(text: str, numbers: Sequence[int]) -> str:
    shown = "".join(f"[{number}]" for number in numbers)
    return f"{text}{_gap(text)}{shown}"


def _gap(text: str) -> str:
    """What stands behind a block stands on a line of its own."""
    return "\n\n" if text.rstrip().endswith(_BLOCK_ENDS) else " "
