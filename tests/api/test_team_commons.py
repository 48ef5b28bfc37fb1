"""What a team shares: its board and its standard procedures; each part by a rule of its own."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

TEAM = """mutation T($id: ID!, $members: [ID!]!) { registerTeam(id: $id, members: $members) {
  id } }"""
AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
ENTRY = "team key value scope version actor updatedAt"
POST = f"""mutation P($key: String!, $value: JSON!, $scope: String, $version: Int, $team: ID) {{
  postBoard(key: $key, value: $value, scope: $scope, expectedVersion: $version, team: $team) {{
  {ENTRY} }} }}"""
BOARD = f"""query B($scope: String, $prefix: String, $team: ID) {{
  board(scope: $scope, prefix: $prefix, team: $team) {{ {ENTRY} }} }}"""
SET_SOP = """mutation S($domain: String!, $content: String!, $team: ID) {
  setSop(domain: $domain, content: $content, team: $team) { domain content version } }"""
SOP = "query S($domain: String!) { sop(domain: $domain) { domain content version } }"
EVENTS = """query E($types: [String!]) { events(types: $types, first: 500) {
  type actor domain summary channel data } }"""


class Team:
    """Ann leads it, and Bo is in it, with a worker and an orchestrator each."""

    def __init__(self, ann: Any, bo: Any, id: str) -> None:
        self.ann, self.bo, self.id = ann, bo, id
        self.worker, self.lead = ann.as_agent("worker"), ann.as_agent("lead")
        self.others_worker, self.others_lead = bo.as_agent("worker"), bo.as_agent("lead")


@pytest.fixture
async def team(api: Any, new_user: Callable[[], str]) -> Team:
    made = Team(api, api.as_user(new_user()), f"{api.user}-team")
    for person in (made.ann, made.bo):
        await person(AGENT, i={"id": "worker", "domains": ["work"]})
        await person(AGENT, i={"id": "lead", "role": "ORCHESTRATOR"})
    await api(TEAM, id=made.id, members=[made.ann.user, made.bo.user])
    return made


async def post(client: Any, key: str, value: Any, **given: Any) -> dict[str, Any]:
    return (await client(POST, key=key, value=value, **given))["postBoard"]


async def read(client: Any, **given: Any) -> dict[tuple[str, str], Any]:
    found = (await client(BOARD, **given))["board"]
    return {(each["scope"], each["key"]): each["value"] for each in found}


@pytest.mark.feature("MUMA-52", "MUMA-62")
async def test_workers_read_their_scopes_and_orchestrators_the_whole_board(team: Team) -> None:
    made = await post(team.ann, "sprint", {"number": 7})
    assert made == {
        **made,
        "team": team.id,
        "value": {"number": 7},
        "scope": "team",
        "version": 1,
        "actor": f"user:{team.ann.user}",
    }
    await post(team.bo, "lock", "held", scope="work/kiln")
    await post(team.bo, "salary", 1, scope="payroll")
    await post(team.others_worker, "note", "mine", scope="worker")
    every = {("team", "sprint"), ("work/kiln", "lock"), ("payroll", "salary"), ("worker", "note")}
    for all_of_it in (team.ann, team.bo, team.lead, team.others_lead):
        assert set(await read(all_of_it)) == every
    for worker in (team.worker, team.others_worker):
        assert set(await read(worker)) == every - {("payroll", "salary")}
        assert await worker.code(POST, key="salary", value=2, scope="payroll") == "FORBIDDEN"
    assert set(await read(team.bo, scope="payroll")) == {("payroll", "salary")}
    assert set(await read(team.bo, prefix="s")) == {("team", "sprint"), ("payroll", "salary")}
    assert set(await read(team.bo, team=team.id)) == every


async def test_outsiders_get_nothing_of_a_board(team: Team, new_user: Callable[[], str]) -> None:
    await post(team.ann, "sprint", 7)
    stranger = team.ann.as_user(new_user())
    assert await read(stranger) == await read(stranger, team=team.id) == {}
    assert await stranger.code(POST, key="a", value=1) == "BAD_USER_INPUT"
    assert await stranger.code(POST, key="a", value=1, team=team.id) == "NOT_FOUND"
    assert (await stranger(EVENTS))["events"] == []
    await team.ann(TEAM, id=team.id, members=[team.ann.user])
    assert await read(team.bo) == {}  # from the next request on
    assert [
        e for e in (await team.bo(EVENTS))["events"] if e["summary"] == "posted on the board"
    ] == []


@pytest.mark.feature("MUMA-53")
async def test_a_stale_post_is_refused_and_told_and_an_orchestrators_post_wins(team: Team) -> None:
    await post(team.worker, "door", "open")
    assert (await post(team.worker, "door", "shut"))["version"] == 2  # one's own
    answer = await team.others_worker.post(POST, key="door", value="ajar")
    assert answer["errors"][0]["extensions"]["code"] == "CONFLICT"
    assert answer["errors"][0]["extensions"]["currentVersion"] == 2
    assert await team.others_worker.code(POST, key="door", value="ajar", version=1) == "CONFLICT"
    assert (await post(team.others_worker, "door", "ajar", version=2))["version"] == 3
    assert (await post(team.others_lead, "door", "locked"))["version"] == 4
    events = [e for e in (await team.lead(EVENTS))["events"] if e["channel"] == "state_change"]
    told = [(e["type"], e["actor"]) for e in events if "key" in e["data"]]
    worker = f"bot:{team.bo.user}/worker"
    assert told == [
        ("EDIT", f"bot:{team.ann.user}/worker"),
        ("EDIT", f"bot:{team.ann.user}/worker"),
        ("ALERT", worker),
        ("ALERT", worker),
        ("EDIT", worker),
        ("EDIT", f"bot:{team.bo.user}/lead"),
    ]


async def test_eight_writers_lose_no_update(team: Team) -> None:
    await post(team.ann, "count", 0)

    async def add_one(client: Any) -> None:
        while True:
            [entry] = (await client(BOARD, prefix="count"))["board"]
            answer = await client.post(
                POST, key="count", value=entry["value"] + 1, version=entry["version"]
            )
            if not answer.get("errors"):
                return
            assert answer["errors"][0]["extensions"]["code"] == "CONFLICT"

    await asyncio.gather(*(add_one(c) for c in (team.worker, team.others_worker) * 4))
    [entry] = (await team.ann(BOARD))["board"]
    assert (entry["value"], entry["version"]) == (8, 9)


REMOVE = """mutation R($key: String!, $scope: String, $version: Int, $team: ID) {
  removeFromBoard(key: $key, scope: $scope, expectedVersion: $version, team: $team) }"""


@pytest.mark.feature("MUMA-53")
async def test_what_is_taken_off_the_board_is_gone_and_no_old_version_comes_back(
    team: Team, new_user: Callable[[], str]
) -> None:
    await post(team.worker, "door", "open")
    stranger = team.ann.as_user(new_user())
    assert await stranger.code(REMOVE, key="door", team=team.id) == "NOT_FOUND"
    assert await team.worker.code(REMOVE, key="roof") == "NOT_FOUND"
    assert await team.worker.code(REMOVE, key="salary", scope="payroll") == "FORBIDDEN"
    answer = await team.others_worker.post(REMOVE, key="door")  # somebody else's
    assert answer["errors"][0]["extensions"]["code"] == "CONFLICT"
    assert answer["errors"][0]["extensions"]["currentVersion"] == 1
    assert (await team.others_worker(REMOVE, key="door", version=1)) == {"removeFromBoard": True}
    assert await read(team.ann) == {}
    again = await post(team.worker, "door", "shut")
    assert again["version"] == 2
    assert await team.others_worker.code(POST, key="door", value="ajar", version=1) == "CONFLICT"
    assert await team.lead(REMOVE, key="door")  # an orchestrator's counts in any case
    events = [e for e in (await team.lead(EVENTS))["events"] if "key" in e["data"]]
    told = [(e["type"], e["data"].get("version")) for e in events]
    assert told == [
        ("EDIT", 1),
        ("ALERT", None),
        ("DELETE", 1),
        ("EDIT", 2),
        ("ALERT", None),
        ("DELETE", 2),
    ]
    await team.ann(AGENT, i={"id": "meek", "writes": "PROPOSE"})
    assert await team.ann.as_agent("meek").code(REMOVE, key="door") == "FORBIDDEN"


@pytest.mark.feature("MUMA-53")
async def test_eight_who_post_and_take_off_lose_nothing(team: Team) -> None:
    """Whoever takes an entry off has read its last version: the versions tell of each change."""

    async def change(client: Any) -> None:
        while True:
            found = (await client(BOARD, prefix="lock"))["board"]
            version = found[0]["version"] if found else 0
            ask = REMOVE if found else POST
            given = {} if found else {"value": client.user}
            answer = await client.post(ask, key="lock", version=version, **given)
            errors = answer.get("errors") or []
            if not errors:
                return
            assert errors[0]["extensions"]["code"] in ("CONFLICT", "NOT_FOUND")

    await asyncio.gather(*(change(c) for c in (team.worker, team.others_worker) * 4))
    assert await read(team.ann) == {}  # four were posted, four taken off
    assert (await post(team.ann, "lock", "free"))["version"] == 5


async def test_a_board_has_its_bounds(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.services.commons.board.MAX_ENTRIES", 1)
    await post(team.ann, "a", 1)
    assert await team.ann.code(POST, key="b", value=1) == "FORBIDDEN"
    assert (await post(team.ann, "a", 2))["version"] == 2
    for wrong in ({"key": " "}, {"key": "x" * 256}, {"value": "x" * 20_001}, {"scope": "a//b"}):
        given = {"key": "a", "value": 1, **wrong}
        assert await team.ann.code(POST, **given) == "BAD_USER_INPUT"
    await team.ann(AGENT, i={"id": "meek", "writes": "PROPOSE"})
    assert await team.ann.as_agent("meek").code(POST, key="a", value=1) == "FORBIDDEN"


async def test_a_teams_procedure_holds_where_ones_own_does_not(team: Team) -> None:
    given = {"domain": "work", "content": "Lock the kiln.", "team": team.id}
    made = (await team.lead(SET_SOP, **given))["setSop"]
    assert (made["version"], made["content"]) == (1, "Lock the kiln.")
    for reader in (team.bo, team.worker, team.others_worker):
        assert (await reader(SOP, domain="work/kiln"))["sop"] == made
    await team.others_lead(SET_SOP, domain="payroll", content="Pay on Fridays.", team=team.id)
    assert (await team.worker(SOP, domain="payroll"))["sop"] is None
    await team.bo(SET_SOP, domain="work", content="My own way.")
    assert (await team.others_worker(SOP, domain="work"))["sop"]["content"] == "My own way."
    assert (await team.worker(SOP, domain="work"))["sop"]["content"] == "Lock the kiln."
    for nobody in (team.bo, team.worker, team.others_worker):  # in person only its lead
        assert await nobody.code(SET_SOP, **given) == "FORBIDDEN"
    await team.ann(TEAM, id=team.id, members=[team.ann.user])
    assert (await team.bo(SOP, domain="payroll"))["sop"] is None
    assert await team.bo.code(SET_SOP, **given) == "NOT_FOUND"


@pytest.mark.feature("MUMA-51", "MUMA-59", "MUMA-60")
async def test_a_skill_of_the_team_is_trusted_by_who_used_it(
    team: Team, new_user: Callable[[], str]
) -> None:
    fields = "id name procedure version trust successCount team sourceAgents { id }"
    add = f"""mutation A($procedure: String!, $team: ID) {{ addSkill(name: "Fire the kiln",
      procedure: $procedure, team: $team, tags: ["kiln"]) {{ {fields} }} }}"""
    report = f"""mutation R($id: ID!, $success: Boolean!) {{
      reportSkill(id: $id, success: $success) {{ {fields} }} }}"""
    skills = f'{{ skills(search: "fire kiln") {{ {fields} }} }}'
    made = (await team.worker(add, procedure="Heat it slowly.", team=team.id))["addSkill"]
    assert made == {**made, "team": team.id, "version": 1, "sourceAgents": [{"id": "worker"}]}
    assert (await team.others_worker(skills))["skills"] == [{**made, "sourceAgents": []}]
    trust = [
        (await client(report, id=made["id"], success=success))["reportSkill"]["trust"]
        for client, success in (
            (team.worker, True),
            (team.others_worker, True),
            (team.others_worker, False),
        )
    ]
    assert trust == [
        pytest.approx(2 / 3 * 0.8),
        pytest.approx(3 / 4 * 0.9),
        pytest.approx(3 / 5 * 0.9),
    ]
    again = (await team.worker(add, procedure="Heat it at dawn.", team=team.id))["addSkill"]
    assert (again["id"], again["version"], again["successCount"]) == (made["id"], 2, 0)
    own = (await team.bo(add, procedure="My way."))["addSkill"]
    assert (own["team"], own["id"] == made["id"]) == (None, False)
    assert len((await team.bo(skills))["skills"]) == 2
    stranger = team.ann.as_user(new_user())
    assert (await stranger(skills))["skills"] == []
    assert await stranger.code(add, procedure="x", team=team.id) == "NOT_FOUND"
    assert await stranger.code(report, id=made["id"], success=True) == "NOT_FOUND"
    assert await team.ann.recall("fire the kiln") == []  # no note of anybody's memory


async def test_writers_at_the_same_time_make_one_skill_of_the_team(team: Team) -> None:
    add = """mutation A($procedure: String!, $team: ID) { addSkill(name: "Fire the kiln",
      procedure: $procedure, team: $team) { id } }"""
    made = await asyncio.gather(
        *(
            client(add, procedure=f"Way {i}.", team=team.id)
            for i, client in enumerate((team.worker, team.others_worker, team.ann, team.bo))
        )
    )
    assert len({each["addSkill"]["id"] for each in made}) == 1
