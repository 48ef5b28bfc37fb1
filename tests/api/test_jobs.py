"""Maintenance as its users see it: related links, what fell into disuse, and who may run it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import httpx
import pytest
from scripted_llm import scripted_llm

from graphmem.ai.llm import Llm
from graphmem.app import create_app
from graphmem.domain.profiles.parameters import RelatedMemories
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import MAX_RUNS, run_job
from graphmem.services.jobs.maintenance import COUNTS
from graphmem.services.keys import create_key
from graphmem.services.refinement.refiner import Refiner
from graphmem.settings import Settings
from graphmem.store.links import RELATER
from graphmem.store.maintenance import users_to_maintain

JOBS = "{ jobs { name cron timeZone description nextRunAt lastRun { id status } } }"
RUNS = """query R($job: String, $first: Int) { jobRuns(job: $job, first: $first) {
  id job slot startedAt finishedAt status counts error } }"""
RUN = "mutation R($name: String!) { runJob(name: $name) { id status counts error finishedAt } }"
FOLLOW = "subscription F($id: ID!) { jobRun(id: $id) { id status counts error } }"
CANCEL = "mutation C($id: ID!) { cancelRun(id: $id) { status } }"
LINKS = """query L($id: ID!) { note(id: $id) { id links(first: 50) {
  id kind strength reason source { id } target { id } } } }"""
LINK = """mutation L($a: ID!, $b: ID!, $kind: String!) {
  link(source: $a, target: $b, kind: $kind) { id } }"""
TAGS = "mutation T($id: ID!, $tags: [String!]) { revise(id: $id, tags: $tags) { tags } }"
FORGET = "mutation F($id: ID!) { forget(id: $id) { forgotten } }"
HIDE = "mutation H($id: ID!) { setVisibility(id: $id, visibility: PRIVATE) { updatedCount } }"
EVENTS = """query E($actor: String) { events(types: ["LINK"], actor: $actor) {
  summary domain subjectId data } }"""
NOTES = "{ notes(first: 500) { totalCount nodes { id version content validity tags } } }"
NAME = "maintain_memory"
RELATED = "related"
TAGGED = ["glaze", "kiln", "test"]


async def run(api: Any) -> dict[str, int]:
    """The counts of a run over everybody's notes."""
    begun = (await api(RUN, name=NAME))["runJob"]
    assert (begun["status"], begun["finishedAt"]) == ("RUNNING", None)
    done = await ended(api, begun["id"])
    assert (done["status"], done["error"]) == ("DONE", None), done
    return done["counts"]


async def ended(api: Any, run_id: str) -> dict[str, Any]:
    """A run when it has ended."""
    while True:
        found = (await api(RUNS, job=NAME, first=MAX_RUNS))["jobRuns"]  # by clocks that differ
        done = next(each for each in found if each["id"] == run_id)
        if done["status"] != "RUNNING":
            return done
        await asyncio.sleep(0.02)


async def related(api: Any, note: str) -> set[str]:
    """The notes at the other ends of a note's related links."""
    links = (await api(LINKS, id=note))["note"]["links"]
    ends = [{link["source"]["id"], link["target"]["id"]} for link in links]
    found = [end - {note} for end, link in zip(ends, links, strict=True) if link["kind"] == RELATED]
    others = set().union(*found)
    assert len(found) == len(others)  # one link for a pair
    return others


@pytest.mark.feature("L3-12", "L3-T19", "L3-T22")
async def test_notes_that_share_three_tags_are_linked_both_ways_by_the_run(place: Any) -> None:
    opened = await place()
    one, two = await opened.many("Ash glaze ran.", "Cone six held.", tags=TAGGED)
    (other,) = await opened.many("A cracked shelf.", tags=["glaze", "kiln", "shelf"])
    for note in (one, two, other):
        assert await related(opened.api, note) == set()
    await run(opened.api)
    assert await related(opened.api, one) == {two}
    assert await related(opened.api, two) == {one}
    assert await related(opened.api, other) == set()
    link = (await opened.api(LINKS, id=one))["note"]["links"][0]
    assert (link["reason"], link["strength"]) == ("3 shared tags", 0.3)


@pytest.mark.feature("L3-12")
async def test_a_second_run_changes_nothing(place: Any) -> None:
    opened = await place()
    (one, *_) = await opened.many(*(f"Firing {i}." for i in range(13)), tags=TAGGED)
    await run(opened.api)
    before = await opened.api(LINKS, id=one)
    events = await opened.api(EVENTS, actor=RELATER)
    assert sum(each["data"]["made"] for each in events["events"]) == 13 * 10 / 2
    counts = await run(opened.api)
    assert (counts["linksMade"], counts["linksRemoved"]) == (0, 0)
    assert await opened.api(LINKS, id=one) == before
    assert await opened.api(EVENTS, actor=RELATER) == events


@pytest.mark.feature("L3-12", "L3-T21")
async def test_a_note_has_ten_related_links_at_most(place: Any) -> None:
    opened = await place()
    notes = await opened.many(*(f"Firing {i}." for i in range(15)), tags=TAGGED)
    await run(opened.api)
    assert [len(await related(opened.api, note)) for note in notes] == [10] * 15
    few = await place(related_memories=RelatedMemories(max_related_per_memory=2))
    await run(few.api)
    assert [len(await related(opened.api, note)) for note in notes] == [2] * 15


@pytest.mark.feature("L3-T19", "L3-T22")
async def test_links_that_do_not_hold_any_more_go_at_the_next_run(place: Any) -> None:
    opened = await place()
    one, two, three, four = await opened.many(*(f"Firing {i}." for i in range(4)), tags=TAGGED)
    await run(opened.api)
    assert await related(opened.api, one) == {two, three, four}
    await opened.api(TAGS, id=two, tags=["glaze", "kiln"])
    await opened.api(HIDE, id=three)
    await opened.api(FORGET, id=four)
    assert two in await related(opened.api, one)
    await run(opened.api)
    assert await related(opened.api, one) == set()
    assert await related(opened.api, three) == set()
    data = [event["data"] for event in (await opened.api(EVENTS, actor=RELATER))["events"]]
    assert data[0] == {"made": 6, "removed": 0}
    assert sum(each["removed"] for each in data) == 6  # of one audience, and of the hidden note's
    await opened.api(TAGS, id=two, tags=[*TAGGED, "more"])
    await opened.api(TAGS, id=one, tags=[*TAGGED, "more"])
    await run(opened.api)
    link = (await opened.api(LINKS, id=one))["note"]["links"][0]
    assert (link["reason"], link["strength"]) == ("4 shared tags", 0.4)


async def test_only_its_own_links_are_touched(place: Any) -> None:
    opened = await place()
    one, two = await opened.many("Ash glaze ran.", "Cone six held.", tags=TAGGED)
    far, off = await opened.many("A cracked shelf.", "A dull knife.", tags=["shelf"])
    mine = [
        (await opened.api(LINK, a=a, b=b, kind=kind))["link"]["id"]
        for a, b, kind in ((two, one, "related"), (one, two, "supports"), (far, off, "related"))
    ]
    await run(opened.api)
    found = (await opened.api(LINKS, id=one))["note"]["links"]
    assert {link["id"] for link in found} == set(mine[:2])
    assert await related(opened.api, far) == {off}
    assert (await opened.api(EVENTS, actor=RELATER))["events"] == []


@pytest.mark.feature("L3-12")
async def test_links_stay_inside_one_audience_of_one_user(
    place: Any, new_user: Callable[[], str]
) -> None:
    opened = await place()
    kinds: list[dict[str, Any]] = [
        {"domain": "work"},
        {"domain": "work/kiln"},
        {"domain": "work", "visibility": "PRIVATE"},
        {"domain": "work", "visibility": "OPEN"},
    ]
    pairs = [await opened.many("Ash ran.", "Six held.", tags=TAGGED, **kind) for kind in kinds]
    other = opened.api.as_user(new_user())
    for i in range(12):
        await other.remember(f"Firing {i}.", mode="VERBATIM", tags=TAGGED, domain="work")
    await run(opened.api)
    for one, two in pairs:
        assert await related(opened.api, one) == {two}
        assert await related(opened.api, two) == {one}
    theirs = (await other(NOTES))["notes"]["nodes"]
    assert {len(await related(other, note["id"])) for note in theirs} == {10}


async def test_other_peoples_notes_change_no_links_counts_or_events_of_a_user(
    place: Any, new_user: Callable[[], str], context: Context
) -> None:
    opened = await place()
    (one, *_) = await opened.many(*(f"Firing {i}." for i in range(12)), tags=TAGGED)
    await run(opened.api)

    async def seen() -> list[Any]:
        return [
            await opened.api(LINKS, id=one),
            await opened.api(EVENTS, actor=RELATER),
            await opened.api("{ stats { totalNotes links } }"),
        ]

    before = await seen()
    other = opened.api.as_user(new_user())
    for i in range(12):
        await other.remember(f"Firing {i}.", mode="VERBATIM", tags=TAGGED)
    await run(opened.api)
    assert await seen() == before


async def test_an_agent_hears_only_of_links_between_notes_that_it_may_read(place: Any) -> None:
    opened = await place()
    await opened.api('mutation { registerAgent(input: {id: "narrow", domains: ["home"]}) { id } }')
    await opened.many("Ash ran.", "Six held.", tags=TAGGED, domain="work", visibility="SCOPED")
    await run(opened.api)
    assert (await opened.api.as_agent("narrow")(EVENTS, actor=RELATER))["events"] == []
    (event,) = (await opened.api(EVENTS, actor=RELATER))["events"]
    assert (event["summary"], event["domain"]) == ("related notes linked", "work")
    assert event["data"] == {"made": 1, "removed": 0}


@pytest.mark.feature("L3-13", "L3-12")
async def test_what_the_run_links_is_what_a_recall_boosts(place: Any) -> None:
    opened = await place()
    given = {"validity": "INFERRED", "tags": TAGGED}
    await opened.many("kiln relay hall", **given)
    await opened.many("kiln relay hall two", validity="INFERRED", tags=["lamp"])
    await opened.many("kiln relay lamp bench hall door", **given)
    plain = await opened.ask("kiln relay hall", "RECENCY", k=3)
    first, second, third = (hit["note"]["id"] for hit in plain)
    near = await place(
        related_memories=RelatedMemories(related_boost=plain[1]["score"] - plain[2]["score"] + 0.01)
    )
    hits = await near.ask("kiln relay hall", "RECENCY", k=2)
    assert [hit["note"]["id"] for hit in hits] == [first, second]
    await run(opened.api)
    hits = await near.ask("kiln relay hall", "RECENCY", k=2)
    assert [hit["note"]["id"] for hit in hits] == [first, third]
    assert hits[1]["why"]["relatedBoost"] > 0


async def test_related_memories_can_be_switched_off(place: Any) -> None:
    opened = await place(related_memories=RelatedMemories(enabled=False))
    one, two = await opened.many("Ash glaze ran.", "Cone six held.", tags=TAGGED)
    assert (await run(opened.api))["relatedLinks"] == 0
    assert await related(opened.api, one) == set()
    fewer = await place(related_memories=RelatedMemories(tag_overlap_threshold=4))
    await run(fewer.api)
    assert await related(opened.api, one) == set()
    await run((await place()).api)
    assert await related(opened.api, one) == {two}


async def dormant(context: Context, user: str, now: Any) -> int:
    """The candidates of one user."""
    rows = await users_to_maintain(context.graph, user[:-1], every=0, cycles=100, now=now, limit=50)
    return next(row["dormantCandidates"] for row in rows if row["user"] == user)


@pytest.mark.feature("L3-9")
async def test_a_note_without_access_for_100_recalls_is_a_candidate(
    place: Any, context: Context
) -> None:
    opened = await place()
    await opened.many("kiln relay hall", "a dull knife in a drawer")
    user = opened.api.user

    async def recalls(count: int, query: str) -> None:
        for _ in range(count):
            opened.clock.move(0.01)
            await opened.ask(query, "SIMILARITY", k=1, track=True)
        while opened.log._unwritten:
            assert await opened.log.flush()

    everybody = (await run(opened.api))["dormantCandidates"]
    await recalls(99, "kiln relay hall")
    assert await dormant(context, user, opened.clock()) == 0
    await recalls(1, "kiln relay hall")
    assert await dormant(context, user, opened.clock()) == 1
    before = await opened.api(NOTES)
    assert (await run(opened.api))["dormantCandidates"] == everybody + 1
    assert await opened.api(NOTES) == before  # it is only counted
    await opened.many("written just now")
    assert await dormant(context, user, opened.clock()) == 1
    await recalls(1, "a dull knife in a drawer")
    assert await dormant(context, user, opened.clock()) == 0


@pytest.mark.feature("L3-1")
async def test_it_asks_no_language_model_and_deletes_nothing(place: Any, context: Context) -> None:
    opened = await place()
    await opened.many(*(f"Firing {i} of the kiln." for i in range(12)), tags=TAGGED)
    before = await opened.api(NOTES)
    with scripted_llm() as fake:
        refiner = Refiner(context, Llm("m", url=fake.url, key=None))
        done = await run_job(replace(context, refiner=refiner), NAME)
        hits = await opened.ask("kiln", "RECENCY")
    assert done.status == "DONE"
    assert hits
    assert fake.asked == []
    assert await opened.api(NOTES) == before
    assert [hit["note"]["id"] for hit in await opened.ask("kiln", "RECENCY")] == [
        hit["note"]["id"] for hit in hits
    ]


async def test_jobs_and_their_runs_are_listed(api: Any) -> None:
    counts = await run(api)
    assert counts.keys() == set(COUNTS)
    jobs = {job["name"]: job for job in (await api(JOBS))["jobs"]}
    assert {name: job["cron"] for name, job in jobs.items()} == {
        NAME: "*/5 * * * *",
        "back_up": "30 3 * * *",
        "consolidate_memory": "0 2 * * *",
        "digest_audit": "0 5 * * *",
        "erase_users": "*/5 * * * *",
        "expire_notes": "* * * * *",
        "expire_proposals": "10 * * * *",
        "merge_entities": "50 * * * *",
        "merge_notes": "35 * * * *",
        "move_tiers": "*/5 * * * *",
        "reflect_episodes": "*/5 * * * *",
        "reflect_memory": "0 3 * * *",
        "promote_knowledge": "0 4 * * sun",
        "relate_notes": "30 1 * * *",
        "resolve_duplicates": "20 * * * *",
        "sweep_decay": "0 * * * *",
        "sync_files": "*/15 * * * *",
        "update_expertise": "15 * * * *",
    }
    job = jobs[NAME]
    assert {job["timeZone"] for job in jobs.values()} == {"UTC"}
    minute = datetime.fromisoformat(job["nextRunAt"]).minute
    assert minute % 5 == 0
    assert job["lastRun"]["status"] == "DONE"
    (newest,) = (await api(RUNS, job=NAME, first=1))["jobRuns"]
    assert (newest["id"], newest["counts"]) == (job["lastRun"]["id"], counts)
    assert newest["slot"] == f"by hand {newest['id']}"
    assert newest["startedAt"] <= newest["finishedAt"]
    runs = (await api(RUNS))["jobRuns"]
    assert [each["startedAt"] for each in runs] == sorted(
        (each["startedAt"] for each in runs), reverse=True
    )


@pytest.mark.parametrize("agent", [None, "planner"])
async def test_no_request_makes_a_backup(api: Any, agent: str | None) -> None:
    asking = api.as_agent(agent) if agent else api
    assert await asking.code(RUN, name="back_up") == "FORBIDDEN"


async def test_a_run_is_followed_until_it_has_ended(api: Any) -> None:
    begun = (await api(RUN, name=NAME))["runJob"]
    told = [each["data"]["jobRun"] for each in await followed(api, begun["id"])]
    assert [each["id"] for each in told] == [begun["id"]] * len(told)
    assert [each["status"] for each in told][:-1] == ["RUNNING"] * (len(told) - 1)
    assert told[-1]["status"] == "DONE"
    assert told[-1]["counts"].keys() >= {"users", "linksMade"}
    (again,) = await followed(api, begun["id"])
    assert again["data"]["jobRun"] == told[-1]
    (unknown,) = await followed(api, "unknown")
    assert unknown["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    (refused,) = await followed(api.as_agent("desk"), begun["id"])
    assert refused["errors"][0]["extensions"]["code"] == "FORBIDDEN"


async def followed(api: Any, run_id: str) -> list[dict[str, Any]]:
    """What a subscriber is told of a run over server-sent events."""
    agent = {"X-Graphmem-Agent": api.agent} if api.agent else {}
    response = await api.http.post(
        "/graphql",
        json={"query": FOLLOW, "variables": {"id": run_id}},
        headers={"Accept": "text/event-stream", "X-Graphmem-User": api.user, **agent},
    )
    lines = response.text.splitlines()
    told = [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip()]
    return [each for each in told if each]


async def test_a_run_that_has_ended_is_not_cancelled_and_others_are_not_known(api: Any) -> None:
    begun = (await api(RUN, name=NAME))["runJob"]
    done = await ended(api, begun["id"])
    assert (await api(CANCEL, id=begun["id"]))["cancelRun"] == {"status": done["status"]}
    assert await api.code(CANCEL, id="unknown") == "NOT_FOUND"
    assert await api.as_agent("desk").code(CANCEL, id=begun["id"]) == "FORBIDDEN"


@pytest.mark.parametrize("name", ["", "MAINTAIN_MEMORY", "maintain_memory ", "../x", "no'; job"])
async def test_names_that_are_no_job_are_not_found(name: str, api: Any) -> None:
    assert await api.code(RUN, name=name) == "NOT_FOUND"
    assert await api.code(RUNS, job=name) == "NOT_FOUND"


async def test_sizes_out_of_range_are_refused(api: Any) -> None:
    for first in (0, -1, 501):
        assert await api.code(RUNS, first=first) == "BAD_USER_INPUT"


async def test_an_agent_is_refused(api: Any) -> None:
    agent = api.as_agent("desk")
    runs = (await api(RUNS))["jobRuns"]
    assert await agent.code(RUN, name=NAME) == "FORBIDDEN"
    assert await agent.code(RUN, name="unknown") == "FORBIDDEN"
    assert await agent.code(JOBS) == "FORBIDDEN"
    assert await agent.code(RUNS) == "FORBIDDEN"
    assert (await api(RUNS))["jobRuns"] == runs


async def test_with_keys_only_an_admin_may(context: Context, new_user: Callable[[], str]) -> None:
    settings = Settings(auth="keys", embedder="hash")
    user = new_user()
    transport = httpx.ASGITransport(app=create_app(settings, opened=context))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8321", timeout=60
    ) as http:
        for kind, admin in (({}, False), ({"agent": "desk"}, False), ({"admin": True}, True)):
            _, secret = await create_key(context.graph, context.clock, user=user, **kind)
            for query, variables in ((JOBS, {}), (RUNS, {}), (RUN, {"name": NAME})):
                response = await http.post(
                    "/graphql",
                    json={"query": query, "variables": variables},
                    headers={"Authorization": f"Bearer {secret}"},
                )
                errors = response.json().get("errors", [])
                codes = [error["extensions"]["code"] for error in errors]
                assert codes == ([] if admin else ["FORBIDDEN"]), (kind, query)
