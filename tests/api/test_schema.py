"""The committed schema is the one that is served."""

from typing import Any

import httpx
from graphql import build_schema, get_introspection_query

from graphmem.api.schema import create_schema, sdl
from graphmem.resources import folder


def test_the_committed_schema_is_the_generated_one() -> None:
    """Made by `graphmem schema`; a change of the API is a change of this file."""
    committed = (folder("schema") / "schema.graphql").read_text(encoding="utf-8")
    assert committed == sdl()


async def test_it_is_handed_out(http: httpx.AsyncClient) -> None:
    assert (await http.get("/schema.graphql")).text == sdl()


def test_the_schema_is_valid_and_every_argument_of_a_list_has_a_page_size() -> None:
    schema = build_schema(sdl())
    assert schema.query_type
    for name in ("notes", "entities", "events", "paths"):
        assert "first" in schema.query_type.fields[name].args


def test_every_type_is_described() -> None:
    types = create_schema().schema_converter.type_map.values()
    objects = [kind.definition for kind in types if hasattr(kind.definition, "fields")]
    assert len(objects) > 30
    assert [kind.name for kind in objects if not kind.origin.__doc__] == []


async def test_introspection_over_the_wire_tells_the_same(api: Any) -> None:
    data = await api(get_introspection_query(descriptions=False))
    names = {each["name"] for each in data["__schema"]["types"]}
    assert {"Note", "Recall", "Entity", "Event", "Stats"} <= names
    assert names == set(build_schema(sdl()).type_map)
