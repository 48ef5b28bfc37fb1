"""GraphQL documents made from the schema: whoever adds a field to a type has it compared here."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    get_named_type,
    is_leaf_type,
)

from graphmem.api.schema import sdl

UNSTEADY = {("Recall", "tookMs")}  # how long it took differs from one time to the next
SIZES = {"links": 6, "revisions": 8, "wordings": 8, "notes": 8, "relations": 10}
DEPTHS = {"Note": 2, "Entity": 2, "Recall": 2, "ContextPackage": 2, "NoteConnection": 2}
DEPTHS |= {"CommandPayload": 2, "RememberPayload": 2, "Viewer": 2}
LISTS = {"entities": 1, "clusterCandidates": 1, "conflicts": 1, "entityReviews": 1}  # by field
LISTS |= {"noteCopies": 1}
OFTEN = ("Note", "Entity", "Agent", "User", "Knowledge")  # at their end nothing but plain fields
DEPTH = 1  # of what is named in neither


@cache
def schema() -> GraphQLSchema:
    """The schema that the service is built with."""
    return build_schema(sdl())


def root(kind: str) -> Mapping[str, GraphQLField]:
    """The fields of Query, Mutation or Subscription."""
    found = schema().type_map[kind]
    assert isinstance(found, GraphQLObjectType)
    return found.fields


@cache
def selection(type_name: str, depth: int) -> str:
    """Every plain field of a type, and every field of those objects that lie at most `depth` below;
    an object deeper than that is named by one plain field. What is below is in fragments, so that
    a document is read and checked once, and not as often as an object comes up in it."""
    kind = schema().type_map[type_name]
    if not isinstance(kind, GraphQLObjectType):
        return ""
    parts = []
    for name, each in kind.fields.items():
        inner = get_named_type(each.type)
        if (type_name, name) in UNSTEADY:
            continue
        if is_leaf_type(inner):
            parts.append(name)
        elif depth > 0 or (type_name not in OFTEN and _is_flat(inner)):
            size = f"(first: {SIZES[name]})" if "first" in each.args else ""
            parts.append(f"{name}{size} {part(inner, depth - 1)}")
        elif type_name not in OFTEN:
            parts.append(f"{name} {{ {handle(inner.name)} }}")
    return "{ " + " ".join(parts) + " }"


def part(kind: Any, depth: int) -> str:
    """The fragment with the selection of a type; nothing for a plain value."""
    if not isinstance(kind, GraphQLObjectType):
        return ""
    return f"{{ ...{kind.name}_{max(depth, 0)} }}"


def fragments(text: str) -> str:
    """The fragments that a text needs, and those that these need."""
    found: dict[str, str] = {}
    texts = [text]
    while texts:
        for name in re.findall(r"\.\.\.(\w+)", texts.pop()):
            if name not in found:
                kind, _, depth = name.rpartition("_")
                found[name] = f"fragment {name} on {kind} {selection(kind, int(depth))}"
                texts.append(found[name])
    return " ".join(found.values())


def _is_flat(kind: Any) -> bool:
    """Whether it has plain fields only."""
    return all(is_leaf_type(get_named_type(each.type)) for each in kind.fields.values())


def handle(type_name: str) -> str:
    """The field by which an object is told from others."""
    kind = schema().type_map[type_name]
    assert isinstance(kind, GraphQLObjectType)
    names = ("id", "domain", "cursor", "version", "at", "name")
    plain = (n for n, f in kind.fields.items() if is_leaf_type(get_named_type(f.type)))
    return next((name for name in names if name in kind.fields), next(plain))


@dataclass(frozen=True)
class Call:
    """One field of Query or Mutation with its arguments."""

    field: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "Query"
    light: bool = False  # ask for no more than the plain fields

    def __str__(self) -> str:
        given = ", ".join(f"{name}: {value!r}" for name, value in self.arguments.items())
        return f"{self.field}({given})"


def document(calls: Iterable[Call]) -> tuple[str, dict[str, Any]]:
    """One document for all of the calls, with its variables."""
    declared, fields, variables = [], [], {}
    kind = "Query"
    for i, call in enumerate(calls):
        kind = call.kind
        spec = root(kind)[call.field]
        given = []
        for name, value in call.arguments.items():
            declared.append(f"$a{i}_{name}: {spec.args[name].type}")
            given.append(f"{name}: $a{i}_{name}")
            variables[f"a{i}_{name}"] = value
        inner = get_named_type(spec.type)
        depth = 0 if call.light else LISTS.get(call.field, DEPTHS.get(inner.name, DEPTH))
        below = part(inner, depth)
        arguments = f"({', '.join(given)})" if given else ""
        fields.append(f"a{i}: {call.field}{arguments} {below}")
    head = f"({', '.join(declared)})" if declared else ""
    text = f"{kind.lower()}{head} {{ {' '.join(fields)} }}"
    return f"{text} {fragments(text)}", variables


def arguments_of(kind: str) -> set[tuple[str, ...]]:
    """Every argument of every field of a root type, with the fields of input objects and the
    values of enums: (field, argument, field of the input, …)."""
    found: set[tuple[str, ...]] = set()
    for name, each in root(kind).items():
        for argument, spec in each.args.items():
            found |= _paths((name, argument), get_named_type(spec.type))
    return found


def _paths(path: tuple[str, ...], kind: Any) -> set[tuple[str, ...]]:
    if isinstance(kind, GraphQLEnumType):
        return {(*path, value) for value in kind.values}
    fields = getattr(kind, "fields", None)
    if fields is None:
        return {path}
    return {p for name, f in fields.items() for p in _paths((*path, name), get_named_type(f.type))}


def used(call: Call) -> set[tuple[str, ...]]:
    """The same paths, as far as the arguments of a call go through them."""
    found: set[tuple[str, ...]] = set()
    for name, value in call.arguments.items():
        kind = get_named_type(root(call.kind)[call.field].args[name].type)
        found |= _used((call.field, name), value, kind)
    return found


def _used(path: tuple[str, ...], value: Any, kind: Any) -> set[tuple[str, ...]]:
    if value is None:
        return set()
    if isinstance(value, list | tuple) and not hasattr(kind, "serialize"):
        return {p for each in value for p in _used(path, each, kind)}
    if isinstance(kind, GraphQLEnumType):
        values = value if isinstance(value, list | tuple) else [value]
        return {(*path, str(each)) for each in values}
    fields = getattr(kind, "fields", None)
    if fields is None:
        return {path}
    return {
        p
        for name, each in value.items()
        for p in _used((*path, name), each, get_named_type(fields[name].type))
    }
