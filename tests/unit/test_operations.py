"""Commands: what they take stands in one place, and means the same whoever asks."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLArgument, GraphQLInputField, GraphQLInputObjectType, get_named_type
from graphql import build_schema as built

from graphmem import api
from graphmem.api.schema import create_schema, sdl
from graphmem.domain.fields import Between, Field, Special, fields_of
from graphmem.domain.ids import check_domain, check_id
from graphmem.domain.notes import NoteDraft
from graphmem.domain.profiles.parameters import Profile
from graphmem.errors import Invalid
from graphmem.operations import commands
from graphmem.operations.command import Command
from graphmem.operations.commands import daemon
from graphmem.operations.commands.core import SetCoreBlock
from graphmem.operations.commands.entities import FindPaths
from graphmem.operations.commands.events import ListEvents
from graphmem.operations.commands.notes import NoteFilter, Remember, RememberMany
from graphmem.operations.commands.recall import Recall
from graphmem.operations.json_schema import LETTERS, Schemas
from graphmem.operations.parsing import parse
from graphmem.rest.endpoints import ENDPOINTS

PATH = Path(str(api.__file__)).parent
COMMANDS = Path(str(commands.__file__)).parent


def known() -> dict[str, type[Command[Any]]]:
    """All commands by name."""
    found = {}
    for module in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        for name, each in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(each, Command) and each.__module__ == module.name:
                found[name] = each
    return found


def operations() -> Iterator[tuple[str, type[Command[Any]], Any]]:
    """Each operation of the schema with its command and its arguments."""
    schema = create_schema()
    text = built(sdl())
    for root in ("Query", "Mutation", "Subscription"):
        kind: Any = schema.get_type_by_name(root)
        told: Any = text.type_map[root]
        for field in kind.fields:
            name = schema.config.name_converter.from_field(field)
            yield f"{root}.{name}", field.base_resolver.wrapped_func.command, told.fields[name]


OPERATIONS = {name: (command, told) for name, command, told in operations()}


def wanted_default(field: Field, *, of_input: bool) -> object:
    """What the schema says for a field that is left out."""
    default = None if field.is_object else field.default
    if field.required or (of_input and default in (None, ())):
        return None
    return getattr(default, "value", default)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_schema_has_the_fields_and_defaults_of_the_command(name: str):
    command, told = OPERATIONS[name]
    arguments: dict[str, GraphQLArgument | GraphQLInputField] = told.args
    of_input = list(arguments) == ["input"]
    if of_input:
        kind = get_named_type(arguments["input"].type)
        assert isinstance(kind, GraphQLInputObjectType)
        arguments = dict(kind.fields)
    assert list(arguments) == [field.wire for field in fields_of(command)]
    for field in fields_of(command):
        node = arguments[field.wire].ast_node
        assert node is not None
        value = node.default_value
        text = None if value is None else getattr(value, "value", None)
        default = wanted_default(field, of_input=of_input)
        assert str(text).lower() == str(default).lower(), field.wire


def test_each_command_is_an_operation_of_the_schema():
    of_the_daemon = {name for name, each in known().items() if each.__module__ == daemon.__name__}
    offered = {command.__name__ for command, _ in OPERATIONS.values()}
    # without an end that an answer could wait for; `command` tells the first one
    streamed = {"ExportMemory", "ExportTeam"}
    assert offered == known().keys() - of_the_daemon - streamed


def test_each_command_is_an_endpoint_of_rest():
    assert {endpoint.command.__name__ for endpoint in ENDPOINTS} == known().keys()


def test_a_name_and_a_place_belong_to_one_endpoint():
    assert len({endpoint.name for endpoint in ENDPOINTS}) == len(ENDPOINTS)
    assert len({(endpoint.method, endpoint.path) for endpoint in ENDPOINTS}) == len(ENDPOINTS)


@pytest.mark.parametrize("path", sorted(PATH.glob("*.py")), ids=lambda path: path.stem)
def test_no_resolver_has_a_default_of_its_own(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and any(
            "strawberry." in ast.unparse(each) for each in node.decorator_list
        ):
            given = [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]
            assert not [each for each in given if isinstance(each, ast.Constant)], node.name


@pytest.mark.parametrize("path", sorted(COMMANDS.glob("*.py")), ids=lambda path: path.stem)
def test_a_bound_has_a_name(path: Path):
    """The number is the constant of the layer that it comes from."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Between", "AtMost"):
            assert not isinstance(node.args[-1], ast.Constant), ast.unparse(node)


def test_a_bound_of_a_command_is_checked_there_alone():
    bounded = {f.wire for each in known().values() for f in fields_of(each) if f.bounds}
    for layer in ("api", "services"):
        for path in sorted((PATH.parent / layer).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            assert not [name for name in bounded if f"{name} must be from" in text], path


@pytest.mark.parametrize("name", sorted(known()))
def test_a_command_refuses_what_is_out_of_bounds(name: str):
    command = known()[name]
    required = {field.name: "x" for field in fields_of(command) if field.required}
    for field in fields_of(command):
        if isinstance(field.bounds, Between):
            low, high = field.bounds.low, field.bounds.high
            for value in (low, high):
                assert getattr(command(**{**required, field.name: value}), field.name) == value
            for value in (low - 1, high + 1):
                with pytest.raises(Invalid, match=f"{field.wire} must be from {low} to {high}"):
                    command(**{**required, field.name: value})


def test_null_means_the_default():
    given = {field.wire: None for field in fields_of(Recall)} | {"query": "Who?"}
    assert parse(Recall, given) == parse(Recall, {"query": "Who?"}) == Recall(query="Who?")


def test_json_becomes_typed_values():
    asked = parse(
        Recall,
        {
            "query": "Who?",
            "k": 3.0,
            "profile": "ACT_R",
            "minScore": 1,
            "asOf": "2026-03-01T10:00:00+01:00",
            "filter": {"domain": "business", "tags": ["a"]},
        },
    )
    assert asked == Recall(
        query="Who?",
        k=3,
        profile=Profile.ACT_R,
        min_score=1.0,
        as_of=datetime(2026, 3, 1, 9, tzinfo=UTC),
        filter=NoteFilter(domain="business", tags=("a",)),
    )
    assert parse(FindPaths, {"from": "a", "to": "b"}) == FindPaths(start="a", end="b")
    assert parse(ListEvents, {"after": 2**52}).after == 2**52


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "query is missing"),
        ({"query": None}, "query is missing"),
        ({"query": 3}, "query must be a string"),
        ({"query": "x", "k": True}, "k must be a whole number"),
        ({"query": "x", "k": 1.5}, "k must be a whole number"),
        ({"query": "x", "minScore": "1"}, "minScore must be a number"),
        ({"query": "x", "deep": 1}, "deep must be true or false"),
        ({"query": "x", "profile": "BEST"}, "profile must be one of BALANCED, SIMILARITY"),
        ({"query": "x", "asOf": "soon"}, "DateTime must be an ISO-8601 text"),
        ({"query": "x", "filter": []}, "filter must be an object"),
        ({"query": "x", "filter": {"tags": "a"}}, "tags must be a list"),
        ({"query": "x", "filter": {"tags": ["a"] * 501}}, "a list has at most 500 entries"),
        ({"query": "x", "limit": 5}, "there is no limit"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, object], message: str):
    with pytest.raises(Invalid, match=message):
        parse(Recall, given)


def test_a_writer_may_not_give_what_is_not_part_of_a_request():
    for name in ("externalOwner", "external_owner", "ofText"):
        with pytest.raises(Invalid, match=f"there is no {name}"):
            parse(Remember, {"content": "x", name: "somebody"})


def test_what_is_left_out_of_a_note_is_left_out_of_the_draft():
    relation = {"subject": "a", "predicate": "b", "object": "c", "confidence": None}
    note = parse(Remember, {"content": "x", "relations": [relation], "tags": None})
    assert note.draft.relations[0].confidence == 1.0
    assert Remember(content="x").draft == NoteDraft(content="x")


def test_notes_of_a_batch_are_parsed_like_one():
    many = parse(RememberMany, {"notes": [{"content": "x"}], "mode": "VERBATIM"})
    assert many.notes == (Remember(content="x"),)
    with pytest.raises(Invalid, match="content is missing"):
        parse(RememberMany, {"notes": [{}]})


@pytest.mark.parametrize(
    "text", ["a", "ж1", "@Ada.K-2", "_x", "...", "", "a b", "a/b", "é_", "a/", "/a", "a//b", "2/ж"]
)
def test_descriptions_tell_the_letters_that_are_taken(text: str):
    for special, check in (
        (Special.NAME, lambda t: check_id(t, "id")),
        (Special.DOMAIN, check_domain),
    ):
        # The classes of JSON Schema, as Python writes them; only "_" is of neither.
        written = LETTERS[special]["pattern"].replace(r"[\p{L}\p{N}]", r"[^\W_]")
        pattern = written.replace(r"\p{L}\p{N}", r"\w")
        try:
            check(text)
            taken = True
        except Invalid:
            taken = False
        assert bool(re.search(pattern, text)) == taken, (special, text)


def test_a_document_forbids_blank_texts_but_not_those_that_may_be_empty():
    schemas = Schemas()
    assert schemas.parameters(Recall)["properties"]["query"]["pattern"] == r"\S"
    assert "pattern" not in schemas.parameters(SetCoreBlock)["properties"]["text"]
    assert "pattern" not in schemas.parameters(Remember)["properties"]["title"]
