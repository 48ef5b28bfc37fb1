"""What one member or one team may fill does not keep others out, and what a person judged is the
version that the person read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clients import Client

from graphmem.domain.taking import EVERYTHING
from graphmem.services.commons import board, commons
from graphmem.services.context import Context
from graphmem.services.importing.portable.importing import import_export
from graphmem.store import board as board_store
from graphmem.store import commons as commons_store
from graphmem.store import restoring

TEAM = "mutation T($id: ID!, $members: [ID!]!) { registerTeam(id: $id, members: $members) { id } }"
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
SET = """mutation S($d: String!, $c: String!, $t: ID) {
  setSop(domain: $d, content: $c, team: $t) { version content } }"""
GET = "query S($d: String!) { sop(domain: $d) { version content } }"
POST = """mutation P($s: String!, $k: String!, $t: ID!) {
  postBoard(scope: $s, key: $k, value: 1, team: $t) { version } }"""
TAKE_OFF = """mutation R($s: String!, $k: String!, $t: ID!) {
  removeFromBoard(scope: $s, key: $k, team: $t) }"""
BOARD = "query B($t: ID!) { board(team: $t) { scope key } }"
PROPOSE = "mutation P($id: ID!) { proposeKnowledge(noteId: $id) { id } }"
COMMIT = """mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) {
  knowledge { id } } }"""
VERIFY = """mutation V($id: ID!, $v: Int) { verifyKnowledge(id: $id, expectedVersion: $v) {
  verifiedBy { id } } }"""
FLOOD = """UNWIND range(1, $most) AS i CREATE (:Audience {key: 't:' + $team + '/sops/flood' + i,
  token: $team + 'f' + i, owner: 't:' + $team, section: 'sops', domain: 'flood' + i})"""
DRAIN = (
    "MATCH (a:Audience {owner: 't:' + $team}) WHERE a.domain STARTS WITH 'flood' DETACH DELETE a"
)
SCOPES = "MATCH (a:Audience {owner: 't:' + $team}) WHERE a.section = 'board' RETURN count(a) AS n"


@pytest.fixture
async def team(api: Client) -> str:
    await api(TEAM, id=f"{api.user}-team", members=[api.user])
    return f"{api.user}-team"


@pytest.mark.parametrize("of_team", [False, True])
async def test_procedures_are_bounded(
    api: Client, team: str, monkeypatch: pytest.MonkeyPatch, of_team: bool
) -> None:
    for module in (commons, commons_store):
        monkeypatch.setattr(module, "MAX_SOPS", 3)
    given = {"c": "Ask first.", "t": team if of_team else None}
    for i in range(3):
        await api(SET, d=f"d{i}", **given)
    assert await api.code(SET, d="d3", **given) == "FORBIDDEN"
    assert await api.code(SET, d="d0/d3", **given) == "FORBIDDEN"
    assert (await api(SET, d="d0", **given))["setSop"]["version"] == 2
    others = {**given, "t": None if of_team else team}  # which have bounds of their own
    assert (await api(SET, d="d3", **others))["setSop"]["version"] == 1


async def test_one_team_keeps_no_other_from_being_read(
    api: Client, team: str, new_user: Callable[[], str], cypher: Any
) -> None:
    other = new_user()
    await api(TEAM, id=other, members=[api.user])
    for each in (team, other):
        await api(POST, t=each, s="late", k="plan")
    for flooded in (team, other):  # whichever comes first
        await cypher(FLOOD, team=flooded, most=20_100)
        try:
            kept = other if flooded == team else team
            assert (await api(BOARD, t=kept))["board"] == [{"scope": "late", "key": "plan"}]
        finally:
            await cypher(DRAIN, team=flooded)


async def test_a_scope_that_is_emptied_makes_room(
    api: Client, team: str, monkeypatch: pytest.MonkeyPatch, cypher: Any
) -> None:
    monkeypatch.setattr(board, "MAX_SCOPES", 3)
    monkeypatch.setattr(board_store, "MAX_EMPTY", 2)
    for _ in range(3):  # versions of what is taken off never come again
        for i in range(6):
            await api(POST, t=team, s=f"s{i}", k="plan")
            await api(TAKE_OFF, t=team, s=f"s{i}", k="plan")
    [found] = await cypher(SCOPES, team=team)
    assert found["n"] <= 3
    version = (await api(POST, t=team, s="s0", k="plan"))["postBoard"]["version"]
    assert version > 3
    for i in (1, 2):
        await api(POST, t=team, s=f"s{i}", k="plan")
    assert await api.code(POST, t=team, s="s3", k="plan") == "FORBIDDEN"
    await api(POST, t=team, s="s2", k="another")
    await api(TAKE_OFF, t=team, s="s1", k="plan")
    await api(POST, t=team, s="s3", k="plan")
    assert {each["scope"] for each in (await api(BOARD, t=team))["board"]} == {"s0", "s2", "s3"}


async def test_what_is_verified_is_the_version_that_was_read(api: Client, team: str) -> None:
    await api(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    fact = "Our SLA guarantees 99.9% uptime for the enterprise tier."
    note = (await api.remember(fact, visibility="SCOPED", domain="work"))["note"]["id"]
    proposal = (await api(PROPOSE, id=note))["proposeKnowledge"]["id"]
    made = await api.as_agent("lead")(COMMIT, id=proposal)
    known = made["decideProposal"]["knowledge"]["id"]
    assert await api.code(VERIFY, id=known, v=2) == "CONFLICT"
    assert (await api(VERIFY, id=known, v=1))["verifyKnowledge"]["verifiedBy"] == [{"id": api.user}]
    assert (await api(VERIFY, id=known))["verifyKnowledge"]["verifiedBy"] == [{"id": api.user}]


def exported(folder: Path, lines: list[dict[str, Any]], versions: dict[int, str]) -> Path:
    """An export with other texts of a procedure in it."""
    at = "2026-01-0{}T12:00:00+00:00"
    rows = [
        {"record": "sop", "domain": "work", "version": v, "content": c, "actor": "manual",
         "at": at.format(min(v, 9))}
        for v, c in versions.items()
    ]  # fmt: skip
    [head, *rest] = [line for line in lines if line["record"] != "sop"]
    path = folder / f"{len(versions)}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [head, *rows, *rest]), "utf-8")
    return path


async def test_an_import_replaces_no_procedure_that_was_set_here(
    api: Client, context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await api.http.get("/v1/export", headers={"X-Graphmem-User": api.user})
    lines = [json.loads(line) for line in answer.text.splitlines()]

    async def present(texts: dict[int, str]) -> tuple[str, int]:
        path = exported(tmp_path, lines, texts)
        done = await import_export(context, api.user, path, parts=EVERYTHING)
        assert not done.refused, done.skipped
        found = (await api(GET, d="work"))["sop"]
        return found["content"], found["version"]

    theirs = {1: "One.", 2: "Two.", 3: "Three."}
    assert await present(theirs) == ("Three.", 3)
    assert await present(theirs) == ("Three.", 3)
    assert await present({**theirs, 4: "Four."}) == ("Four.", 4)  # it goes on
    assert (await api(SET, d="work", c="Mine."))["setSop"] == {"version": 5, "content": "Mine."}
    assert await present({**theirs, 4: "Four.", 5: "Five.", 9: "Nine."}) == ("Mine.", 5)
    assert (await api(SET, d="work", c="Mine, too."))["setSop"]["version"] == 6
    await api(SET, d="other", c="Here.")
    monkeypatch.setattr(restoring, "MAX_SOPS", 2)
    assert await present(theirs) == ("Mine, too.", 6)
