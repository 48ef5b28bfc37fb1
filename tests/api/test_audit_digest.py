"""Events are kept for a time, and of older ones their numbers."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from aged_notes import JobHeartbeat
from race_world import cypher
from rest import Rest

from graphmem.services.context import Context
from graphmem.services.jobs import digests as job
from graphmem.services.jobs.digests import digest_audit
from graphmem.store.digests import old_events

DIGESTS = """{ auditDigests {
  month mutations files reflections decays archivals notable notableDays critical } }"""
EVENTS = "query E($s: ID) { events(subjectId: $s, first: 500) { seq type actor summary data } }"
REVISE = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
NOTE = "query N($id: ID!) { note(id: $id) { revisions { version content } } }"
REVERT = "mutation T($at: DateTime!) { revertTo(at: $at) }"
AGE = """MATCH (e:Event {stream: $user}) WHERE e.seq <= $seq
SET e.at = e.at - duration({hours: $hours})"""


@pytest.fixture
def digest(context: Any, api: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the job for the user of `api`, with pages of two events."""

    async def own(graph: Any, after: str, **given: Any) -> list[str]:
        return [] if after else [api.user]

    async def run(of: Context = context) -> dict[str, int]:
        monkeypatch.setattr(job.store, "users_with_old_events", own)
        monkeypatch.setattr(job, "PAGE", 2)
        return dict(await digest_audit(of, JobHeartbeat()))  # type: ignore[arg-type]

    return run


@pytest.mark.feature("MOLT-68", "MOLT-74", "MOLT-75")
async def test_of_events_that_are_too_old_their_numbers_stay(
    api: Any, context: Any, digest: Any
) -> None:
    kiln = (await api.remember("The kiln is blue."))["note"]["id"]
    await api(REVISE, id=kiln, c="The kiln is green.")
    reflection = (await api("mutation { reflect { id } }"))["reflect"]["id"]
    loft = (await api.remember("The loft in Ulm is dry."))["note"]["id"]
    await api(FORGET, id=loft)
    before = (await api(EVENTS))["events"]
    last = [each["seq"] for each in before if each["type"] == "ARCHIVE"][-1]
    lathe = (await api.remember("The lathe is in Bonn."))["note"]["id"]
    await cypher(context, AGE, user=api.user, seq=last, hours=91 * 24)
    month = f"{context.clock() - timedelta(days=91):%Y-%m}"
    counts = await digest()
    assert counts == {"users": 1, "events": len(before), "recalls": 0}
    [found] = (await api(DIGESTS))["auditDigests"]
    types = [each["type"] for each in before]
    assert found == {
        "month": month,
        "mutations": {name: types.count(name) for name in sorted(set(types))},
        "files": 3,  # those of the two notes, and that of the reflection
        "reflections": {"proposed": 1},
        "decays": {},
        "archivals": 1,
        "critical": 0,
        "notableDays": {},
        "notable": {name: types.count(name) for name in ("ALERT",) if name in types},
    }
    events = (await api(EVENTS))["events"]
    told = {(each["type"], each["actor"], each["summary"]) for each in events}
    assert told >= {("EDIT", "system:audit", "old events digested")}
    assert (await api(EVENTS, s=lathe))["events"][0]["type"] == "CREATE"
    assert (await api(EVENTS, s=reflection))["events"] == []
    assert len((await api(NOTE, id=kiln))["note"]["revisions"]) == 2, "revisions stay"
    assert await digest() == {"users": 1, "events": 0, "recalls": 0}
    [again] = (await api(DIGESTS))["auditDigests"]
    assert again == found, "nothing is counted twice"
    rest = await Rest(api.http, api.user)("GET", "/v1/events/digests")
    assert rest.json() == {"digests": [found]}
    assert await api.as_agent("worker").code(DIGESTS) == "FORBIDDEN"


@pytest.mark.feature("MOLT-75")
async def test_changes_of_files_that_agents_live_by_are_counted(
    api: Any, context: Any, digest: Any
) -> None:
    made = await api.remember("I am calm.", externalId="SOUL", mode="VERBATIM")
    await api(REVISE, id=made["note"]["id"], c="I am calm and curious.")
    await api.remember("The kiln is blue.")
    told = [each["data"].get("sensitivity") for each in (await api(EVENTS))["events"]]
    await cypher(context, AGE, user=api.user, seq=2**53, hours=91 * 24)
    await digest()
    [found] = (await api(DIGESTS))["auditDigests"]
    assert found["critical"] == told.count("critical") == 2
    [(day, types)] = found["notableDays"].items()
    assert day.startswith(found["month"])
    assert types == {**found["notable"], "CRITICAL": 2}
    assert found["files"] == 2, "SOUL.md, and the note in no file"


@pytest.mark.feature("MOLT-75")
async def test_a_file_that_changed_on_several_days_counts_once(
    api: Any, context: Context, digest: Any
) -> None:
    """Also where the digest of its month is added to later; then nothing of its name is left."""
    marks = """MATCH (d:AuditDigest {user: $user}) RETURN d.marks IS NULL AS gone"""
    start = """MATCH (e:Event {stream: $user}) WHERE NOT e.actor = 'system:audit'
    SET e.at = datetime($month) + duration({hours: e.seq % 24})"""
    month = f"{context.clock() - timedelta(days=90):%Y-%m}"
    first = f"{month}-01T00:00:00Z"
    old = replace(context, clock=lambda: datetime.fromisoformat(first) + timedelta(days=95))
    shelf = (await api.remember("The shelf is full.", kind="PROCEDURAL"))["note"]["id"]
    await cypher(context, start, user=api.user, month=first)
    await digest(old)
    assert await cypher(context, marks, user=api.user) == [[False]]
    for i in range(3):
        await api(REVISE, id=shelf, c=f"The shelf holds {i} bowls.")
    for text in ("Ann called.", "Bo called."):
        await api.remember(text, occurredAt=f"{month}-02T09:00:00Z", kind="EPISODIC")
    await cypher(context, start, user=api.user, month=first)
    await digest(old)
    [found] = (await api(DIGESTS))["auditDigests"]
    assert (found["files"], found["mutations"]["CREATE"]) == (2, 3), "both calls are in one day's"
    assert await cypher(context, marks, user=api.user) == [[False]]
    await api(REVISE, id=shelf, c="The shelf is empty.")
    await cypher(context, start, user=api.user, month=first)
    await digest(replace(old, clock=lambda: old.clock() + timedelta(days=40)))
    assert await cypher(context, marks, user=api.user) == [[True]]


async def test_digests_that_were_made_are_not_counted(api: Any, context: Any, digest: Any) -> None:
    await api.remember("The kiln is blue.")
    for _ in range(2):
        await cypher(context, AGE, user=api.user, seq=2**53, hours=91 * 24)
        await digest()
    assert (await api(EVENTS))["events"] == []
    [found] = (await api(DIGESTS))["auditDigests"]
    assert found["mutations"]["CREATE"] == 1
    limit = context.clock()
    assert await old_events(context.graph, api.user, before=limit, limit=9) == []


@pytest.mark.feature("MOLT-74")
async def test_memory_goes_back_further_than_its_events(
    api: Any, context: Any, digest: Any
) -> None:
    kiln = (await api.remember("The kiln is blue."))["note"]["id"]
    at = context.clock().isoformat()
    await api(REVISE, id=kiln, c="The kiln is green.")
    await cypher(context, AGE, user=api.user, seq=2**53, hours=91 * 24)
    await digest()
    assert (await api(REVERT, at=at))["revertTo"] == 1
    [newest, *_] = (await api(NOTE, id=kiln))["note"]["revisions"]
    assert newest["content"] == "The kiln is blue."


@pytest.mark.feature("DIFF-24")
async def test_records_of_recalls_are_kept_as_long_as_events(
    api: Any, context: Any, digest: Any
) -> None:
    await api.remember("The kiln is blue.")
    for _ in range(3):
        await api('{ recall(input: {query: "Which kiln is blue?"}) { id } }')
    await context.log.flush()
    count = "MATCH (r:Recall {user: $user}) RETURN count(r) AS n"
    aged = """MATCH (r:Recall {user: $user}) WITH r ORDER BY r.cycle LIMIT 2
    SET r.at = r.at - duration({days: 91})"""
    assert (await cypher(context, count, user=api.user))[0][0] == 3
    await cypher(context, aged, user=api.user)
    assert (await digest())["recalls"] == 2
    assert (await cypher(context, count, user=api.user))[0][0] == 1
    assert (await digest())["recalls"] == 0
