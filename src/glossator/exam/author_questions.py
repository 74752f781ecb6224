"""Reads the author's own exam questions from YAML, JSON lines, CSV or plain text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import yaml

from glossator.errors import SettingsError
from glossator.exam.question import ExamKind, ExamQuestion
from glossator.model import Manifest, PageRecord
from glossator.question_generation import BookSection, SectionPlace

FIELDS = ("question", "page", "section", "answer", "answerable")
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_WHOLE_PAGE = 2**40
"""An end offset beyond that of any page."""


@dataclass(frozen=True, slots=True)
class AuthorQuestions:
    """Reads the questions of one file; errors name the line."""

    file: str
    manifest: Manifest
    sections: Sequence[BookSection]

    def read(self, text: str) -> list[ExamQuestion]:
        file_rows = rows(text, self.file)
        if not file_rows:
            raise SettingsError(f"{self.file} has no questions in it.")
        return [self._question(row) for row in file_rows]

    def _question(self, row: QuestionRow) -> ExamQuestion:
        fields = self._fields(row)
        is_answerable = self._answerable(row, fields.get("answerable", ""))
        if not is_answerable and (set(fields) & {"page", "section", "answer"}):
            raise self._error(row, "it says where the answer is, and that there is none")
        places = self._places(row, fields.get("page"), fields.get("section"))
        return ExamQuestion(
            ExamKind.AUTHOR,
            fields["question"],
            is_answerable=is_answerable,
            places=places,
            knows_section="section" in fields,
            facts=(fields["answer"],) if "answer" in fields else (),
        )

    def _fields(self, row: QuestionRow) -> Mapping[str, str]:
        unknown = [name for name in row.fields if name not in FIELDS]
        if unknown:
            raise self._error(row, f"there is no field {unknown[0]!r}, only {', '.join(FIELDS)}")
        fields = {name: value.strip() for name, value in row.fields.items() if value.strip()}
        if "question" not in fields:
            raise self._error(row, "there is no question")
        return fields

    def _answerable(self, row: QuestionRow, value: str) -> bool:
        if value.lower() in _NO:
            return False
        if value and value.lower() not in _YES:
            raise self._error(row, f"answerable is true or false, not {value!r}")
        return True

    def _places(self, row: QuestionRow, page: str | None, section: str | None) -> tuple[SectionPlace, ...]:
        pages = self._pages(row, page) if page else self.manifest.pages
        if section:
            return self._sections(row, section, pages)
        if page:
            return tuple(
                SectionPlace(record.path, record.title, record.url, 0, _WHOLE_PAGE) for record in pages
            )
        return ()

    def _pages(self, row: QuestionRow, page: str) -> list[PageRecord]:
        """Finds pages by path, end of a path, title or URL."""
        path = page.strip("/")
        matches = [
            record
            for record in self.manifest.pages
            if record.path == path
            or record.path.endswith(f"/{path}")
            or record.url.strip("/") == path
            or record.title.lower() == page.lower()
        ]
        if not matches:
            raise self._error(row, f"the book has no page {page!r}")
        return matches

    def _sections(
        self, row: QuestionRow, section: str, pages: Sequence[PageRecord]
    ) -> tuple[SectionPlace, ...]:
        """Finds sections by title or anchor."""
        paths, name = {page.path for page in pages}, section.lower().removeprefix("#")
        places = tuple(
            candidate.place
            for candidate in self.sections
            if candidate.place.page in paths
            and name in (candidate.title.lower(), candidate.place.url.rpartition("#")[2].lower())
        )
        if not places:
            raise self._error(row, f"there is no section {section!r}")
        return places

    def _error(self, row: QuestionRow, problem: str) -> SettingsError:
        return SettingsError(f"{self.file}, line {row.line}: {problem}.")


_FORMATS = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".csv": "csv",
    ".tsv": "tsv",
}


@dataclass(frozen=True, slots=True)
class QuestionRow:
    line: int
    fields: Mapping[str, str]


def rows(text: str, file: str) -> list[QuestionRow]:
    """The format follows the file's suffix; any other has one question per line, and `#` comments."""
    text = text.removeprefix("\ufeff")
    suffix = file[file.rfind(".") :].lower() if "." in file else ""
    match _FORMATS.get(suffix):
        case "yaml":
            return list(_yaml(text, file))
        case "json lines":
            return list(_json_lines(text, file))
        case "csv":
            return list(_csv(text, file, ","))
        case "tsv":
            return list(_csv(text, file, "\t"))
        case _:
            return list(_plain(text))


def _plain(text: str) -> Iterator[QuestionRow]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield QuestionRow(number, {"question": line})


def _json_lines(text: str, file: str) -> Iterator[QuestionRow]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise SettingsError(f"{file}, line {number}: this is not JSON ({error}).") from error
        yield _row(value, number, file)


def _csv(text: str, file: str, delimiter: str) -> Iterator[QuestionRow]:
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        if "question" not in (reader.fieldnames or ()):
            raise SettingsError(f"{file}, line 1: there is no column `question`.")
        for record in reader:
            if None in record:
                raise SettingsError(f"{file}, line {reader.line_num}: there are more fields than columns.")
            yield QuestionRow(reader.line_num, {name: value or "" for name, value in record.items()})
    except csv.Error as error:
        raise SettingsError(f"{file}, line {reader.reader.line_num}: this is not CSV ({error}).") from error


def _yaml(text: str, file: str) -> Iterator[QuestionRow]:
    """A list of questions, or one under the key `questions`."""
    loader = cast(Any, yaml.SafeLoader(text))
    try:
        root = loader.get_single_node()
        if isinstance(root, yaml.MappingNode):
            root = next((value for key, value in root.value if key.value == "questions"), root)
        if root is not None and not isinstance(root, yaml.SequenceNode):
            raise SettingsError(f"{file}, line {_line(root)}: this is not a list of questions.")
        for node in cast(list[Any], root.value if root else []):
            yield _row(loader.construct_object(node, deep=True), _line(node), file)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SettingsError(f"{file}, line {line}: this is not YAML ({error.problem}).") from error


def _line(node: Any) -> int:
    return node.start_mark.line + 1


def _row(value: Any, line: int, file: str) -> QuestionRow:
    if isinstance(value, str):
        return QuestionRow(line, {"question": value})
    if not isinstance(value, dict):
        raise SettingsError(f"{file}, line {line}: a question is a text, or fields with `question`.")
    fields = cast(dict[object, object], value)
    return QuestionRow(line, {str(name): _text(field, line, file) for name, field in fields.items()})


def _text(value: object, line: int, file: str) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return str(value)
        case _:
            raise SettingsError(f"{file}, line {line}: {value!r} is not a text.")
