"""The author's own questions, with what the author knows about their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glossator.answer.ask_itself import BookSection, Place
from glossator.errors import SettingsError
from glossator.exam.own_files import Row, rows
from glossator.exam.question import ExamQuestion, Kind
from glossator.model import Manifest, PageRecord

FIELDS = ("question", "page", "section", "answer", "answerable")
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_WHOLE_PAGE = 2**40
"""Further than any page goes."""


@dataclass(frozen=True, slots=True)
class OwnQuestions:
    """Reads the rows of one file, and says by line what is wrong in it."""

    file: str
    manifest: Manifest
    sections: Sequence[BookSection]

    def read(self, text: str) -> list[ExamQuestion]:
        found = rows(text, self.file)
        if not found:
            raise SettingsError(f"{self.file} has no questions in it.")
        return [self._question(row) for row in found]

    def _question(self, row: Row) -> ExamQuestion:
        fields = self._fields(row)
        is_answerable = self._answerable(row, fields.get("answerable", ""))
        if not is_answerable and (set(fields) & {"page", "section", "answer"}):
            raise self._wrong(row, "it says where the answer is, and that there is none")
        places = self._places(row, fields.get("page"), fields.get("section"))
        return ExamQuestion(
            Kind.OWN,
            fields["question"],
            is_answerable=is_answerable,
            places=places,
            knows_section="section" in fields,
            facts=(fields["answer"],) if "answer" in fields else (),
        )

    def _fields(self, row: Row) -> Mapping[str, str]:
        unknown = [name for name in row.fields if name not in FIELDS]
        if unknown:
            raise self._wrong(row, f"there is no field {unknown[0]!r}, only {', '.join(FIELDS)}")
        fields = {name: value.strip() for name, value in row.fields.items() if value.strip()}
        if "question" not in fields:
            raise self._wrong(row, "there is no question")
        return fields

    def _answerable(self, row: Row, value: str) -> bool:
        if value.lower() in _NO:
            return False
        if value and value.lower() not in _YES:
            raise self._wrong(row, f"answerable is true or false, not {value!r}")
        return True

    def _places(self, row: Row, page: str | None, section: str | None) -> tuple[Place, ...]:
        pages = self._pages(row, page) if page else self.manifest.pages
        if section:
            return self._sections(row, section, pages)
        return tuple(Place(one.path, one.title, one.url, 0, _WHOLE_PAGE) for one in pages) if page else ()

    def _pages(self, row: Row, page: str) -> list[PageRecord]:
        """By path, the end of a path, title or address."""
        wanted = page.strip("/")
        found = [
            one
            for one in self.manifest.pages
            if one.path == wanted
            or one.path.endswith(f"/{wanted}")
            or one.url.strip("/") == wanted
            or one.title.lower() == page.lower()
        ]
        if not found:
            raise self._wrong(row, f"the book has no page {page!r}")
        return found

    def _sections(self, row: Row, section: str, pages: Sequence[PageRecord]) -> tuple[Place, ...]:
        """By title or anchor."""
        paths, wanted = {page.path for page in pages}, section.lower().removeprefix("#")
        found = tuple(
            one.place
            for one in self.sections
            if one.place.page in paths
            and wanted in (one.title.lower(), one.place.url.rpartition("#")[2].lower())
        )
        if not found:
            raise self._wrong(row, f"there is no section {section!r}")
        return found

    def _wrong(self, row: Row, what: str) -> SettingsError:
        return SettingsError(f"{self.file}, line {row.line}: {what}.")
