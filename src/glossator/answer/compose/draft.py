"""Which sentences and blocks of the evidence an answer is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from glossator.answer.compose.asking import Asking, Kind
from glossator.answer.compose.block import Block, topic
from glossator.answer.compose.part import Part, block_part, going_on, introduction, part_of
from glossator.answer.compose.rate import DEFINES, Rated, stands_in
from glossator.answer.compose.sentence import announces, is_answer, remembered
from glossator.model import Span, UnitKind

FEWEST_WORDS = 40
MOST_WORDS = 180
_ENOUGH_WORDS = 110
"""From here on nothing more comes in only because it stands beside the lead."""
_MOST_CODE_WORDS = 40
"""How many words of code count; nobody reads code word by word."""

_BESIDE = 0.6
"""How much of the lead's worth a sentence needs that goes on from it."""
_ELSEWHERE = 0.9
_AT_HOME = 0.7
"""How much one needs whose heading names what is asked for, while there are still too few words."""
_NEW = 0.75
"""How much one needs that speaks of what no other does."""
_SHOWN = 0.72
"""How much a list, a table or code needs."""
_NAMED = 0.15
_STEPS = 0.2
_LEADS_TO_BLOCK = 0.8
"""How much of the best worth a lead needs that stands in the section of the block that is shown."""
_LEADS_TO_EXAMPLE = 0.5
_MOST_ELSEWHERE = 3
_LONGEST_ELSEWHERE = 2
"""Sentences that come together; more of them would lead away."""
_SAME = 0.8
"""How much of the shorter of two sentences stands in the other, when both say the same."""

_SENTENCES = (UnitKind.PROSE, UnitKind.ITEM)
_STEP = re.compile(r"\d[.)]\s*$")
_WORD = re.compile(r"[^\W_]+")


class Draft:
    """What was chosen so far."""

    def __init__(self, asked: Asking, rated: Sequence[Sequence[Rated]]) -> None:
        self._asked = asked
        self._units = {units[0].evidence.number: units for units in rated if units}
        self._ranked = sorted((unit for units in rated for unit in units), key=lambda unit: -unit.worth)
        self._question = _words_in(asked.question)
        self._words = 0
        plain = (unit.worth - unit.bonus for unit in self._ranked if unit.kind in _SENTENCES)
        self._best = max(plain, default=0.0)
        self._said = list[frozenset[str]]()
        self._shown: Rated | None = None
        self._leading: Part | None = None
        self.lead: Rated | None = None
        self.sentences: dict[tuple[int, int], Rated] = {}
        """By the number of their evidence and their place in it."""
        self.blocks: list[tuple[Rated, Block]] = []
        """Each with its first unit."""

    def show_block(self) -> None:
        """The best list, table or code that the question asks for, unless the lead brings its own."""
        lead = next((unit for unit in self._ranked if unit.kind in _SENTENCES), None)
        if lead is None or ((part := self._part(lead)) and part.shown):
            return
        for worth, first in sorted(self._blocks_asked_for(), key=lambda found: -found[0]):
            if worth < _SHOWN * self._best:
                return
            part = block_part(self._units[first.evidence.number], first.place)
            if part and self._is_to_the_point(part, first) and self._take(part):
                self._shown = first
                return

    def choose_lead(self) -> None:
        """A sentence where there is any; a table or code where nothing else speaks to the question."""
        best_first = self._by_fitness()
        for part in chain(map(self._part, best_first), map(self._alone, best_first)):
            if part and self._take(part):
                self._leading = part
                self.lead = part.sentences[0] if part.sentences else self.blocks[-1][0]
                return

    def go_on(self) -> None:
        """What follows the lead, as long as it stays with the question."""
        paragraph = self._leading.sentences[-1].block if self._leading and self._leading.sentences else None
        self._walk(
            lambda unit: (
                unit.block == paragraph and self._words < _ENOUGH_WORDS and unit.worth >= _BESIDE * self._best
            )
        )

    def look_elsewhere(self) -> None:
        """What speaks to the question as well as the lead does, or to what no other sentence speaks to."""
        taken = 0
        for unit in self._ranked:
            if taken == _MOST_ELSEWHERE or self._words > _ENOUGH_WORDS:
                return
            part = self._part(unit) if self._adds(unit) else None
            is_brief = part and not part.shown and len(part.sentences) <= _LONGEST_ELSEWHERE
            taken += bool(part and is_brief and self._take(part))

    def fill_up(self) -> None:
        """Where that was too little to be understood: what else follows the lead."""
        self._walk(lambda _: self._words < FEWEST_WORDS)

    def _blocks_asked_for(self) -> Iterator[tuple[float, Rated]]:
        """The first unit of each, with the worth of the best, or of the sentence that leads to it."""
        kinds = set(self._asked.blocks)
        if self._ranked and self._ranked[0].kind is UnitKind.ROW:
            kinds.add(UnitKind.ROW)
        for units in self._units.values() if kinds else ():
            blocks = dict[Span, list[Rated]]()
            for unit in units:
                if unit.kind in kinds:
                    blocks.setdefault(unit.block, []).append(unit)
            for block in blocks.values():
                leading = introduction(units, block[0])
                worth = _worth_of(block) + self._suits(block[0])
                yield max(worth, leading.worth if leading else 0.0), block[0]

    def _suits(self, first: Rated) -> float:
        """What it is worth that a table names what is asked for in a column, or that a list has steps."""
        trunks, text = self._asked.trunks, first.source.lower()
        named = _NAMED * sum(stands_in(trunk, text) for trunk in trunks) / len(trunks) if trunks else 0.0
        is_steps = self._asked.kind is Kind.HOW_TO and first.kind is UnitKind.ITEM and _STEP.search(first.gap)
        return named + (_STEPS if is_steps else 0.0)

    def _is_to_the_point(self, part: Part, first: Rated) -> bool:
        """Whether the words of the question stand in the block or above it; what is compared, in it."""
        is_comparison = self._asked.kind is Kind.COMPARISON
        said = [topic(part.shown[1]) if part.shown else "", *(sentence.source for sentence in part.sentences)]
        above = [] if is_comparison else [*first.section.path, first.evidence.chunk.page_title]
        text = " ".join([*said, *above]).lower()
        there = sum(stands_in(trunk, text) for trunk in self._asked.trunks)
        return there >= len(self._asked.trunks) * (1.0 if is_comparison else 0.6)

    def _by_fitness(self) -> list[Rated]:
        """Sentences first, and first of all those that lead to the block that is shown."""
        sentences = [unit for unit in self._ranked if unit.kind in _SENTENCES]
        rest = [unit for unit in self._ranked if unit.kind not in _SENTENCES]
        if self._shown is None:
            return sentences + rest
        shown, is_example = self._shown, self._asked.kind is Kind.EXAMPLE
        least = self._best * (_LEADS_TO_EXAMPLE if is_example else _LEADS_TO_BLOCK)
        near = [unit for unit in sentences if unit.worth >= least and unit.section == shown.section]
        is_the_answer = is_example or self._ranked[0].block == shown.block
        return [*near, *([shown] if is_the_answer else []), *sentences, *rest]

    def _walk(self, wants: Callable[[Rated], bool]) -> None:
        if not self._leading or not self._leading.sentences or self._leading.shown:
            return
        last = self._leading.sentences[-1]
        for unit in going_on(self._units[last.evidence.number], last):
            part = self._part(unit) if wants(unit) else None
            if not part or part.shown or not self._take(part):
                return

    def _adds(self, unit: Rated) -> bool:
        plain = unit.worth - unit.bonus
        if plain < _AT_HOME * self._best or not self._is_left(unit) or self._is_defined_again(unit):
            return False
        is_at_home = self._words < FEWEST_WORDS and self._is_at_home(unit)
        if is_at_home or plain >= _ELSEWHERE * self._best:
            return True
        chosen = " ".join(sentence.source for sentence in self.sentences.values()).lower()
        text = unit.source.lower()
        return plain >= _NEW * self._best and any(
            stands_in(trunk, text) and not stands_in(trunk, chosen) for trunk in self._asked.trunks
        )

    def _is_at_home(self, unit: Rated) -> bool:
        heading = " ".join(unit.section.path).lower()
        return any(stands_in(trunk, heading) for trunk in self._asked.trunks)

    def _is_left(self, unit: Rated) -> bool:
        """Whether it is a sentence that stands nowhere in the answer yet."""
        is_shown = any(
            first.block == unit.block and first.evidence is unit.evidence for first, _ in self.blocks
        )
        return unit.kind in _SENTENCES and unit.key not in self.sentences and not is_shown

    def _is_defined_again(self, unit: Rated) -> bool:
        is_enough = self._words >= FEWEST_WORDS
        return bool(is_enough and self.lead and min(unit.bonus, self.lead.bonus) >= DEFINES)

    def _part(self, unit: Rated) -> Part | None:
        if unit.kind in _SENTENCES and (not is_answer(unit.source) or self._is_echo(unit.source)):
            return None
        return part_of(self._units[unit.evidence.number], unit.place)

    def _alone(self, unit: Rated) -> Part | None:
        """Without what it leans on, for where that is nowhere to be found."""
        is_sentence = unit.kind in _SENTENCES and is_answer(unit.source) and not announces(unit.source)
        return Part((unit,)) if is_sentence or unit.kind is UnitKind.ROW else None

    def _is_echo(self, source: str) -> bool:
        """Whether it only says again what was asked."""
        return len(_words_said(source) - self._question) <= 1

    def _take(self, part: Part) -> bool:
        """Unless it says what was said, or makes the answer too long."""
        new = [sentence for sentence in part.sentences if sentence.key not in self.sentences]
        words = sum(len(sentence.source.split()) for sentence in new)
        words += _words_of(part.shown) if part.shown and part.shown not in self.blocks else 0
        # Only a single sentence, however long, may be an answer alone.
        is_too_long = self._words + words > MOST_WORDS and (self._words or part.shown)
        if is_too_long or self._is_said(part, new):
            return False
        self._words += words
        self.sentences.update({sentence.key: sentence for sentence in new})
        self._said.extend(_words_said(sentence.source) for sentence in new)
        if part.shown and part.shown not in self.blocks:
            self.blocks.append(part.shown)
        return True

    def _is_said(self, part: Part, new: Sequence[Rated]) -> bool:
        """Of sentences that come together, one that is new is enough."""
        if part.shown and part.shown not in self.blocks:
            return any(block.text == part.shown[1].text for _, block in self.blocks)
        return bool(new) and all(map(self._is_repeated, new))

    def _is_repeated(self, sentence: Rated) -> bool:
        words = _words_said(sentence.source)
        return any(_say_the_same(words, said) for said in self._said)


def _say_the_same(words: frozenset[str], said: frozenset[str]) -> bool:
    """Sentences with other numbers say something else, however alike they are."""
    has_new_number = any(not word.isalpha() for word in words - said)
    return not has_new_number and len(words & said) >= _SAME * min(len(words), len(said))


def _worth_of(block: Sequence[Rated]) -> float:
    """A list is worth what its items are; of code and tables one line may be all that is wanted."""
    worths = [unit.worth for unit in block]
    return sum(worths) / len(worths) if block[0].kind is UnitKind.ITEM else max(worths)


def _words_of(shown: tuple[Rated, Block]) -> int:
    _, block = shown
    return min(block.words, _MOST_CODE_WORDS) if block.kind is UnitKind.CODE else block.words


def _words_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


@remembered
def _words_said(source: str) -> frozenset[str]:
    return _words_in(source)
