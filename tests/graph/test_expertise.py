"""The index of topics: the job that keeps it, what it finds, and what is left of it."""

from typing import Any

import pytest

from graphmem.domain.jobs import RunStatus
from graphmem.services.context import Context
from graphmem.services.jobs.jobs import run_job
from graphmem.store.expertise import notes_about

MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } } } }"""
WHO = "query W($topic: String!) { whoKnows(topic: $topic) { agent { id } confidence } }"
ROUTE = "query R($task: String!) { route(task: $task) { agent { id } } }"
REVISE = "mutation R($id: ID!, $tags: [String!]) { revise(id: $id, tags: $tags) { id } }"
FORGET = "mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }"
SHOW = """mutation S($id: ID!, $to: Visibility!) { setVisibility(id: $id, visibility: $to) {
  updatedCount } }"""


async def told(client: Any, topic: str) -> list[str]:
    return [each["agent"]["id"] for each in (await client(WHO, topic=topic))["whoKnows"]]


@pytest.mark.feature("MUMA-57", "MUMA-81")
async def test_a_topic_is_found_by_its_tag_after_one_run(api: Any, context: Context) -> None:
    tagged = [f"Step {i} of the usual." for i in range(10)]
    notes = [{"content": text, "tags": ["quartz-clusters"]} for text in tagged]
    made = (await api.as_agent("coding")(MANY, notes=notes))["rememberMany"]["results"]
    first = made[0]["note"]["id"]
    assert await told(api, "quartz_cluster") == []  # no word of the texts is like it
    assert (await api(ROUTE, task="Look after the quartz clusters"))["route"] == {"agent": None}
    run = await run_job(context, "update_expertise")
    assert (run.status, run.counts["notes"] >= 10) == (RunStatus.DONE, True)
    assert await told(api, "quartz_cluster") == ["coding"]
    advice = (await api(ROUTE, task="Look after the quartz clusters"))["route"]
    assert advice["agent"] == {"id": "coding"}
    [sure] = (await api(WHO, topic="quartz/clusters"))["whoKnows"]
    assert sure["confidence"] > 0.6

    key = "quartz cluster"
    keys = [f"u:{api.user}/SCOPED/general", f"u:{api.user}/OPEN/general"]

    async def found() -> set[str]:
        """The notes that the index has."""
        rows = await notes_about(context.graph, [key], keys, context.clock(), 100)
        return {note for note, _ in rows}

    assert first in await found()
    await api(SHOW, id=first, to="USER_ONLY")
    assert first not in await found()
    second, third = made[1]["note"]["id"], made[2]["note"]["id"]
    await api(REVISE, id=second, tags=["else"])
    assert second not in await found()  # at once, before the next run
    assert third in await found()
    again = await run_job(context, "update_expertise")
    assert again.counts["notes"] >= 2
    for each in made:
        await api(FORGET, id=each["note"]["id"])
    assert await found() == set()
