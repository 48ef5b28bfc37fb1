"""JSON Schema (2020-12, as in OpenAPI 3.1) of the inputs and answers of commands.

Names, types, defaults and bounds are those of `fields_of`; descriptions are the docstrings."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Never, Union, get_args, get_origin

from graphmem.domain.fields import AtMost, Field, Special, answer_fields, fields_of
from graphmem.domain.ids import MAX_DOMAIN_LENGTH, MAX_ID_LENGTH
from graphmem.domain.notes import Note
from graphmem.operations.docstrings import docstrings, sentence_of
from graphmem.operations.presenters.notes import NoteState
from graphmem.operations.scalars import MAX_LONG

Schema = dict[str, Any]
PLAIN: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
    object: {},
    Any: {},
    Never: {},
}
INPUT: Final = "Input"  # the suffix of the names of inputs
# The letters of `check_id` and `check_domain`, as JSON Schema writes them.
ONE_NAME: Final = r"[._@\-]*[\p{L}\p{N}][\p{L}\p{N}._@\-]*"
LETTERS: Final[Mapping[Special, Schema]] = {
    Special.NAME: {"pattern": f"^{ONE_NAME}$", "maxLength": MAX_ID_LENGTH},
    Special.DOMAIN: {"pattern": f"^{ONE_NAME}(/{ONE_NAME})*$", "maxLength": MAX_DOMAIN_LENGTH},
}
NOT_BLANK: Final[Schema] = {"pattern": r"\S"}


class Schemas:
    """Schemas of objects by name, collected as they are referred to."""

    def __init__(self, place: str = "#/components/schemas/") -> None:
        self.place = place
        self.found: dict[str, Schema] = {}

    def parameters(self, kind: type, *without: str) -> Schema:
        """Return the parameters of a command as the schema of an object, without some of its
        fields."""
        fields = [field for field in fields_of(kind) if field.wire not in without]
        words = docstrings(kind)
        schema: Schema = {
            "type": "object",
            "description": sentence_of(kind),
            "properties": {f.wire: self.field(f, words.get(f.name)) for f in fields},
            "additionalProperties": False,
        }
        if required := [field.wire for field in fields if field.required]:
            schema["required"] = required
        return schema

    def field(self, field: Field, words: str | None = None) -> Schema:
        """Return the schema of one parameter; null means the same as leaving it out."""
        kind = self._parameter_schema(field)
        if bounds := field.bounds:
            kind |= {"minimum": bounds.low, "maximum": bounds.high}
        if field.many:
            kind = {"type": "array", "items": kind}
            most = next((mark for mark in field.marks if isinstance(mark, AtMost)), None)
            kind |= {"maxItems": most.entries} if most else {}
        if not field.required:
            kind = _or_null(kind)
        if isinstance(field.default, bool | int | float | str) and not field.required:
            kind["default"] = getattr(field.default, "value", field.default)
        if words:
            kind["description"] = words
        return kind

    def _parameter_schema(self, field: Field) -> Schema:
        if Special.LONG in field.marks:
            return {"type": "integer", "minimum": -MAX_LONG, "maximum": MAX_LONG}
        if field.type is str:
            return PLAIN[str] | _letters_pattern(field)
        if field.type in PLAIN:
            return dict(PLAIN[field.type])
        if issubclass(field.type, Enum):
            return _enum_schema(field.type)
        return self._add_named(input_name(field.type), field.type, True)

    def answer(self, hint: Any) -> Schema:
        """Return the schema of an answer from its type."""
        if get_origin(hint) is Annotated:
            return self.answer(get_args(hint)[0])
        if hint in PLAIN:
            return dict(PLAIN[hint])
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            kinds = [self.answer(each) for each in inner if each is not NoneType]
            one = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
            return _or_null(one) if NoneType in inner else one
        if origin in (list, tuple):
            return {"type": "array", "items": self.answer(inner[0])}
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.answer(inner[1])}
        if issubclass(hint, Enum):
            return _enum_schema(hint)
        return self._add_named(hint.__name__, hint, False)

    def _answer_schema(self, kind: type) -> Schema:
        properties = self._properties(kind)
        if kind is Note:
            properties |= self._properties(NoteState)
        return {
            "type": "object",
            "description": sentence_of(kind),
            "properties": properties,
            "required": list(properties),
        }

    def _properties(self, kind: type) -> dict[str, Schema]:
        words = docstrings(kind)
        return {
            field.wire: self.answer(field.type) | _description(words.get(field.attribute))
            for field in answer_fields(kind)
        }

    def _add_named(self, name: str, kind: type, taken: bool) -> Schema:
        if name not in self.found:
            self.found[name] = {}  # for a recursive type
            self.found[name] = self.parameters(kind) if taken else self._answer_schema(kind)
        return {"$ref": f"{self.place}{name}"}


def input_name(kind: type) -> str:
    """Return the name of the schema of an input."""
    return kind.__name__.removesuffix("Draft").removesuffix(INPUT) + INPUT


def _letters_pattern(field: Field) -> Schema:
    """Return the pattern of a text's letters, as far as it is the same for every request."""
    for mark in field.marks:
        if isinstance(mark, Special) and mark in LETTERS:
            return dict(LETTERS[mark])
    blank = field.many or not field.required or field.marks
    return {} if blank else dict(NOT_BLANK)


def _description(words: str | None) -> Schema:
    return {"description": words} if words else {}


def _enum_schema(kind: type[Enum]) -> Schema:
    return {"type": "string", "enum": [str(each.value) for each in kind]}


def _or_null(schema: Schema) -> Schema:
    """Return the schema, extended by null."""
    if not schema:
        return schema
    if "enum" in schema:
        return schema | {"type": [schema["type"], "null"], "enum": [*schema["enum"], None]}
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
