"""Values as the JSON that is kept of them, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from glossator.adapters.records.text import storable
from glossator.errors import RecordsOutdated
from glossator.model import Answer, Filters, Selection

Value = TypeVar("Value")

_ANYTHING = TypeAdapter[Any](Any)
_ANSWER = TypeAdapter(Answer)
_SELECTION = TypeAdapter(Selection)
_FILTERS = TypeAdapter(Filters)
_STRINGS = TypeAdapter(tuple[str, ...])
_MAPPING = TypeAdapter(dict[str, object])


def answer_to_json(answer: Answer) -> str:
    """Whole, but for the trace: that is logged, never kept."""
    return _to_json(_ANSWER, without_trace(answer))


def answer_from_json(document: str) -> Answer:
    return _from_json(_ANSWER, document)


def without_trace(answer: Answer) -> Answer:
    return replace(answer, trace=()) if answer.trace else answer


def selection_to_json(selection: Selection | None) -> str | None:
    return None if selection is None else _to_json(_SELECTION, selection)


def selection_from_json(document: str | None) -> Selection | None:
    return None if document is None else _from_json(_SELECTION, document)


def filters_to_json(filters: Filters) -> str:
    """Only what is filtered by: `{}` for none."""
    return _to_json(_ANYTHING, dict(filters.items()))


def filters_from_json(document: str) -> Filters:
    return _from_json(_FILTERS, document)


def strings_to_json(strings: tuple[str, ...]) -> str:
    return _to_json(_STRINGS, strings)


def strings_from_json(document: str) -> tuple[str, ...]:
    return _from_json(_STRINGS, document)


def mapping_to_json(mapping: Mapping[str, object]) -> str:
    return _to_json(_MAPPING, dict(mapping))


def mapping_from_json(document: str) -> dict[str, object]:
    return _from_json(_MAPPING, document)


def _to_json(kind: TypeAdapter[Value], value: Value) -> str:
    try:
        document = kind.dump_json(value).decode()
    except PydanticSerializationError:
        # Half a character, such as a language model can be made to say.
        return _storable_json(value)
    return _storable_json(value) if "\\u0000" in document else document


def _storable_json(value: object) -> str:
    return _ANYTHING.dump_json(_storable(_ANYTHING.dump_python(value))).decode()


def _storable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            pairs = cast("dict[str, Any]", value).items()
            return {storable(key): _storable(inner) for key, inner in pairs}
        case list() | tuple():
            return [_storable(inner) for inner in cast("Sequence[Any]", value)]
        case _:
            return value


def _from_json(kind: TypeAdapter[Value], document: str) -> Value:
    try:
        return kind.validate_json(document)
    except ValidationError as error:
        raise RecordsOutdated from error
