"""Names that are one by form are one entity, for who reads notes with both, and for nobody else."""

from typing import Any

import pytest
from clients import Client
from neo4j import GraphDatabase

from graphmem.server import ServerAddress
from graphmem.services.context import Context
from graphmem.services.writing import old_names
from graphmem.store import meta

REMEMBER = """mutation($c: String!, $e: [EntityInput!], $v: Visibility) {
  remember(input: {content: $c, entities: $e, visibility: $v, mode: VERBATIM}) { note { id } } }"""
ENTITY = """query($n: String!) { entity(name: $n) { id name aliases noteCount
  notes(first: 9) { content } mergedFrom { id actor mergedName undone } } }"""
UNDO = "mutation($id: ID!) { undoEntityMerge(id: $id) { id name aliases } }"
PAIRS = (  # of each class
    ("The Orchard Street Bakery", "Orchard Street Bakery", "company"),
    ("Project Aurora", "Aurora project", "project"),
    ("St. Ives", "Saint Ives", "place"),
    ("Mt. Ida", "Mount Ida", "place"),
    ("5th Avenue", "Fifth Avenue", "place"),
    ("Jörg Müller", "Joerg Mueller", "person"),
    ("J.R. Moreau", "JR Moreau", "person"),
    ("Saltmarsh GmbH", "Saltmarsh", "company"),
    ("Orion v2.4", "Orion 2.4", "software"),
    ("https://www.example.org", "example.org", "website"),
)
APART = (("Acme Inc.", "Acme GmbH", "company"), ("Mueller", "Muller", "person"))


async def remember(api: Client, name: str, kind: str, visibility: str | None = None) -> str:
    given = [{"name": name, "type": kind}]
    made = await api(REMEMBER, c=f"{name} was named.", e=given, v=visibility)
    return made["remember"]["note"]["id"]


async def entity(api: Client, name: str) -> Any:
    return (await api(ENTITY, n=name))["entity"]


async def test_names_of_one_form_are_one_entity(api: Client) -> None:
    for one, other, kind in PAIRS:
        await remember(api, one, kind)
        if "GmbH" not in one:  # a bare name may be of another firm, or of no firm
            found = await entity(api, other)  # also where no note has the other form
            assert found["name"] == one
        await remember(api, other, kind)
    for one, other, _ in PAIRS:
        found = await entity(api, one)
        assert (await entity(api, other))["id"] == found["id"], one
        assert {found["name"], *found["aliases"]} >= {one, other}
        assert {each["content"] for each in found["notes"]} >= {
            f"{one} was named.",
            f"{other} was named.",
        }
    for one, other, kind in APART:
        await remember(api, one, kind)
        await remember(api, other, kind)
        assert (await entity(api, one))["id"] != (await entity(api, other))["id"]
    pairs = "{ entityReviews { one { name } other { name } } }"
    asked = [
        {each["one"]["name"], each["other"]["name"]} for each in (await api(pairs))["entityReviews"]
    ]
    assert {"Mt. Ida", "Mount Ida"} not in asked


async def test_who_reads_one_form_learns_nothing_of_the_other(api: Client) -> None:
    other = api.as_agent("desk")
    await other("{ viewer { admin } }")
    await remember(api, "Mt. Ida", "place")
    before = await entity(other, "Mt. Ida")
    await remember(api, "Mount Ida", "place", "USER_ONLY")
    assert await entity(other, "Mt. Ida") == before
    assert await entity(other, "Mount Ida") == before  # by its form, as before
    assert (await entity(api, "Mt. Ida"))["noteCount"] == 2


async def test_names_of_one_form_can_be_parted(api: Client) -> None:
    await remember(api, "St. Ives", "place")
    await remember(api, "Saint Ives", "place")
    found = await entity(api, "St. Ives")
    (merge,) = found["mergedFrom"]
    assert (merge["actor"], merge["undone"]) == ("system:forms", False)
    await api(UNDO, id=merge["id"])
    one, other = await entity(api, "St. Ives"), await entity(api, "Saint Ives")
    assert one["id"] != other["id"]
    assert (one["noteCount"], other["noteCount"]) == (1, 1)
    assert await api.code(UNDO, id="nobody/x=nobody/y") == "NOT_FOUND"


async def test_names_of_an_older_version_get_their_key(
    api: Client, context: Context, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    await remember(api, "Ft. Vernon", "place")
    await remember(api, "Fort Vernon", "place")
    at = neo4j_address
    with GraphDatabase.driver(at.bolt_uri, auth=(at.user, at.password)) as driver:
        driver.execute_query("MATCH (e:Entity {user: $u}) REMOVE e.loose", u=api.user)
    assert (await entity(api, "Ft. Vernon"))["noteCount"] == 1
    monkeypatch.setattr(old_names, "FORM", 99)
    monkeypatch.setattr(old_names, "BATCH", 7)
    assert await old_names.key_old_names(context.graph) >= 2
    assert await old_names.key_old_names(context.graph) == 0
    assert (await entity(api, "Ft. Vernon"))["noteCount"] == 2
    await meta.finish_names(context.graph, 1)
