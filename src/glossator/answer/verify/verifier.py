"""Checks each sentence of a writer against the evidence, before anybody sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.answer.verify.compare import Claim, Match, compare
from glossator.answer.verify.features import features
from glossator.answer.verify.ledger import Ledger
from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.plain import Plain, plain, without_citations
from glossator.answer.verify.verbatim import find_verbatim, has_all_code
from glossator.answer.verify.weigh import shipped_models, word_weights
from glossator.model import Checked, Evidence, Verdict
from glossator.ports import Embedder
from glossator.text.sentences import sentences

Rarity = Callable[[str], float]

_NOTHING = Checked(Verdict.UNSUPPORTED, 0.0)


@dataclass(frozen=True, slots=True)
class Verifier:
    embedder: Embedder
    language: str
    rarity: Rarity | None = None
    """Of a stem in the book; without it all words are equally telling."""

    def read(self, evidence: Sequence[Evidence]) -> Ledger:
        """Once an answer, so that each of its claims is checked quickly."""
        return Ledger.of(evidence, self.language)

    def check(self, claim: str, evidence: Sequence[Evidence] | Ledger) -> Checked:
        """A claim is Markdown of a sentence or a block, with or without its `[n]` marks."""
        ledger = self._ledger(evidence)
        words, cited = without_citations(claim)
        said = plain(words)
        return _found_verbatim(said, ledger, cited) or self._check_parts(said, ledger, cited)

    def match(self, claim: str, ledger: Ledger, cited: frozenset[int] = frozenset()) -> Match | None:
        """The claim's words beside what comes nearest to them; None where one of the two has none."""
        phrase = Phrase(claim, self.language)
        if not len(phrase) or not ledger.sentences:
            return None
        has_known_states = self.embedder.identity.name == shipped_models().embedder
        weighted = Claim(phrase, word_weights(phrase, self.rarity), cited)
        return compare(weighted, ledger, self.embedder if has_known_states else None)

    def _ledger(self, evidence: Sequence[Evidence] | Ledger) -> Ledger:
        return evidence if isinstance(evidence, Ledger) else self.read(evidence)

    def _check_parts(self, said: Plain, ledger: Ledger, cited: frozenset[int]) -> Checked:
        """A claim of several sentences is as good as the weakest; its code must be the book's own."""
        if not has_all_code(said, ledger):
            return _NOTHING
        parts = [self._check_part(part, ledger, cited) for part in _prose(said)]
        return min(parts, key=lambda part: part.score, default=_NOTHING)

    def _check_part(self, part: str, ledger: Ledger, cited: frozenset[int]) -> Checked:
        found = _found_verbatim(plain(part), ledger, cited)
        match = None if found else self.match(part, ledger, cited)
        return found or (_weighed(match) if match else _NOTHING)


def _found_verbatim(said: Plain, ledger: Ledger, cited: frozenset[int]) -> Checked | None:
    place = find_verbatim(said, ledger, cited)
    if place is None:
        return None
    return Checked(Verdict.SUPPORTED, 1.0, place.sheet.evidence, place.sheet.page_span(place.span))


def _prose(said: Plain) -> Iterator[str]:
    for number, line in enumerate(said.lines):
        if number not in said.code:
            words = said.text[line.start : line.end]
            yield from (words[span.start : span.end] for span in sentences(words))


def _weighed(match: Match) -> Checked:
    models = shipped_models()
    model = models.with_states if match.grid.has_states else models.without_states
    score = model.score(features(match))
    sheet = match.ledger.sheets[match.sentences[0].sheet]
    return Checked(model.verdict(score), score, sheet.evidence, sheet.page_span(match.span))
