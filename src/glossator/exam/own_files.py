"""A file of questions as rows: YAML, JSON lines, CSV, or one question a line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import yaml

from glossator.errors import SettingsError

_KINDS = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".csv": "csv",
    ".tsv": "tsv",
}


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    fields: Mapping[str, str]


def rows(text: str, file: str) -> list[Row]:
    """By what the name ends with; anything else has one question a line, `#` before a remark."""
    text = text.removeprefix("\ufeff")
    ending = file[file.rfind(".") :].lower() if "." in file else ""
    match _KINDS.get(ending):
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


def _plain(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield Row(number, {"question": line})


def _json_lines(text: str, file: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise SettingsError(f"{file}, line {number}: this is not JSON ({error}).") from error
        yield _row(value, number, file)


def _csv(text: str, file: str, delimiter: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        if "question" not in (reader.fieldnames or ()):
            raise SettingsError(f"{file}, line 1: there is no column `question`.")
        for record in reader:
            if None in record:
                raise SettingsError(f"{file}, line {reader.line_num}: there are more fields than columns.")
            yield Row(reader.line_num, {name: value or "" for name, value in record.items()})
    except csv.Error as error:
        raise SettingsError(f"{file}, line {reader.reader.line_num}: this is not CSV ({error}).") from error


def _yaml(text: str, file: str) -> Iterator[Row]:
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


def _row(value: Any, line: int, file: str) -> Row:
    if isinstance(value, str):
        return Row(line, {"question": value})
    if not isinstance(value, dict):
        raise SettingsError(f"{file}, line {line}: a question is a text, or fields with `question`.")
    fields = cast(dict[object, object], value)
    return Row(line, {str(name): _text(field, line, file) for name, field in fields.items()})


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
