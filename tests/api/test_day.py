"""A memory from the first note to the last trace of it, over GraphQL alone: a day of work, the
jobs of the night, months in which things fade, and what brings them back or ends them."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from living_notes import of_one_user

from graphmem.domain.profiles.parameters import Tiered

AGENT = "mutation A($i: AgentInput!) { registerAgent(input: $i) { id } }"
OPEN = 'mutation { openSession(task: "fire the kiln") { id } }'
CLOSE = "mutation C($id: ID!) { closeSession(id: $id) { dropped promoted { id content } } }"
ASK = """query Q($i: RecallInput!) { recall(input: $i) { id hits { note { id content } } } }"""
FEEDBACK = """mutation F($r: ID!, $n: [ID!]!, $ok: Boolean!) {
  feedback(recallId: $r, used: $n, helpful: $ok) }"""
READ = """query N($id: ID!, $at: DateTime) { note(id: $id, asOf: $at) {
  id version content status tier pinned accessCount halfLifeHours
  derivedFrom { id } supersededBy { id } revisions(first: 50) { version actor changes } } }"""
LIST = """query L($f: NoteFilter, $at: DateTime) { notes(filter: $f, first: 500, asOf: $at) {
  totalCount nodes { id content status tier derivedFrom { id } } } }"""
RUN = "mutation R($name: String!) { runJob(name: $name) { id } }"
RUNS = "query R($job: String!) { jobRuns(job: $job, first: 500) { id status error counts } }"
REFLECTIONS = "{ reflections(first: 1) { id status items { id kind summary } } }"
DECIDE = """mutation D($id: ID!, $yes: [ID!]!) { decideReflection(id: $id, accept: $yes) {
  status items { accepted } } }"""
CORE = "query C($at: DateTime) { coreMemory(asOf: $at) { text } }"
REVISE = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
REVERT = "mutation R($id: ID!) { revertNote(id: $id, version: 1) { content } }"
BACK = "mutation B($at: DateTime!, $dry: Boolean!) { revertTo(at: $at, dryRun: $dry) }"
RESTORE = "mutation R($id: ID!) { restore(id: $id) { status } }"
PURGE = "mutation P($id: ID!) { forget(id: $id, permanent: true, confirm: true) { forgotten } }"
EVENTS = """query E($s: ID) { events(subjectId: $s, first: 500) {
  type channel actor summary data } }"""
KILN = [
    "The north kiln overheats at noon when the fan stops.",
    "The north kiln overheats at noon when the fan stops again.",
    "The north kiln overheats at noon when the fan stops, says Ida.",
]
GLAZE = (  # too few for a summary: the user is asked
    "The copper glaze runs off the plates when it is thick.",
    "The copper glaze runs off the plates when it is thick again.",
)
NIGHT = {  # the jobs by the hour of the night at which they are due
    0: (
        *("resolve_duplicates", "update_expertise", "expire_notes", "sweep_decay"),
        *("merge_entities", "merge_notes"),
    ),
    1: ("relate_notes", "maintain_memory"),
    2: ("consolidate_memory",),
    3: ("reflect_memory", "reflect_episodes"),
    5: ("digest_audit", "move_tiers"),
}


class Life:
    """A user, an assistant and a worker, in a service with a clock of its own."""

    def __init__(self, here: Any) -> None:
        self.here, self.api = here, here.api
        self.helper, self.smith = here.api.as_agent("helper"), here.api.as_agent("smith")

    def now(self) -> str:
        return self.here.clock.now.isoformat()

    def until(self, hour: int) -> None:
        """Let the time go on to the next such hour."""
        now: datetime = self.here.clock.now
        then = now.replace(hour=hour, minute=0)
        self.here.clock.now = then if then > now else then + timedelta(days=1)

    async def said(self, content: str, client: Any = None, **given: Any) -> str:
        self.here.clock.move(0.1)
        return (await (client or self.api).remember(content, **given))["note"]["id"]

    async def asked(self, query: str, client: Any = None, **given: Any) -> Any:
        """A recall that counts."""
        self.here.clock.move(0.1)
        found = await (client or self.api)(ASK, i={"query": query, "k": 3, **given})
        while self.here.log._unwritten:
            await self.here.log.flush()
        return found["recall"]

    async def read(self, note: str, at: str | None = None) -> Any:
        return (await self.api(READ, id=note, at=at))["note"]

    async def run(self, job: str) -> dict[str, int]:
        begun = (await self.api(RUN, name=job))["runJob"]["id"]
        while True:
            runs = (await self.api(RUNS, job=job))["jobRuns"]
            [run] = [each for each in runs if each["id"] == begun]
            if run["status"] != "RUNNING":
                assert run["status"] == "DONE", run
                return run["counts"]

    async def night(self) -> dict[str, dict[str, int]]:
        """All jobs at their times; what each counted."""
        counts = {}
        for hour, jobs in NIGHT.items():
            self.until(hour)
            for job in jobs:
                counts[job] = await self.run(job)
        self.until(9)
        return counts


@pytest.fixture
async def life(place: Callable[..., Awaitable[Any]], monkeypatch: pytest.MonkeyPatch) -> Life:
    made = Life(await place(tiered=Tiered(enabled=True)))
    of_one_user(monkeypatch)(made.api.user)
    await made.api(AGENT, i={"id": "helper", "role": "ASSISTANT", "domains": ["*"]})
    await made.api(AGENT, i={"id": "smith", "role": "WORKER", "domains": ["studio"]})
    return made


@pytest.mark.feature("MUMA-112")
async def test_a_day_and_what_becomes_of_it(life: Life) -> None:
    api, smith = life.api, life.smith
    # A morning of work.
    rule = await life.said("Always answer my letters in English.", pinned=True)
    berlin = await life.said("I live in Berlin.")
    invoice = await life.said("The invoice of Halden is due on March 15.", life.helper)
    rumour = await life.said("The gate code of the yard is 4711.", life.helper)
    parcel = await life.said("A parcel waits at the door.", ttlSeconds=3600)
    session = (await smith(OPEN))["openSession"]["id"]
    local = {"sessionId": session, "domain": "studio"}
    await life.said("Cone six was reached after nine hours.", smith, **local)
    kiln = [
        await life.said(text, smith, mode="VERBATIM", kind="EPISODIC", domain="studio")
        for text in KILN
    ]
    for text in GLAZE:
        await life.said(text, smith, mode="VERBATIM", kind="EPISODIC", domain="studio")
    found = await life.asked("When is the invoice of Halden due?")
    assert found["hits"][0]["note"]["id"] == invoice
    assert await api(FEEDBACK, r=found["id"], n=[invoice], ok=True)
    wrong = await life.asked("gate code of the yard")
    assert await api(FEEDBACK, r=wrong["id"], n=[rumour], ok=False)
    used, faded = await life.read(invoice), await life.read(rumour)
    assert (used["accessCount"], used["halfLifeHours"] > faded["halfLifeHours"]) == (2, True)
    paris = await life.said("I live in Paris now.")
    assert (await life.read(berlin))["supersededBy"]["id"] == paris
    closed = (await smith(CLOSE, id=session))["closeSession"]
    assert ["Cone six" in each["content"] for each in closed["promoted"]] == [True]
    life.here.clock.move(1)
    assert all(each["note"]["id"] != parcel for each in (await life.asked("parcel"))["hits"])
    life.until(18)
    evening = life.now()
    written = (await api(LIST, at=evening))["notes"]["totalCount"]
    # The night makes knowledge of the day, and asks before it goes further.
    counts = await life.night()
    assert counts["expire_notes"] == {"expired": 1}
    assert (await life.read(rule))["status"] == "ACTIVE"
    assert counts["consolidate_memory"]["created"] == 1
    listed = (await api(LIST, f={"kinds": ["SEMANTIC"]}))["notes"]["nodes"]
    [summary] = [each for each in listed if each["derivedFrom"]]
    assert {each["id"] for each in summary["derivedFrom"]} == set(kiln)
    assert "overheats" in summary["content"]
    assert counts["consolidate_memory"]["kept"] == len(kiln)
    kept = [await life.read(note) for note in kiln]
    assert {each["status"] for each in kept} == {"ACTIVE"}
    assert all(each["halfLifeHours"] < 168 for each in kept), "what says more fades sooner"
    hits = (await life.asked("Why does the north kiln overheat?", smith, k=5))["hits"]
    found = {hit["note"]["id"] for hit in hits}
    assert found & set(kiln), "what the knowledge was made of"
    assert summary["id"] not in found, "as long as it lives"
    assert counts["reflect_memory"]["reflections"] == 1
    [reflection] = (await api(REFLECTIONS))["reflections"]
    assert reflection["status"] == "PENDING"
    every = [item["id"] for item in reflection["items"]]
    decided = (await api(DECIDE, id=reflection["id"], yes=every))["decideReflection"]
    assert decided["status"] == "APPLIED"
    # What nobody asks for fades; what is used, and what is pinned, stays.
    for _ in range(8):
        life.here.clock.move(24 * 14)
        life.until(0)
        await life.run("sweep_decay")
        await life.asked("When is the invoice of Halden due?")
    assert (await life.read(rumour))["status"] in ("DORMANT", "ARCHIVED")
    assert [(await life.read(note))["status"] for note in (invoice, rule)] == ["ACTIVE"] * 2
    life.here.clock.move(24 * 400)
    await life.run("sweep_decay")
    assert (await life.read(rumour))["status"] == "ARCHIVED"
    asked = {"query": "gate code of the yard", "k": 5, "track": False}
    ids = [hit["note"]["id"] for hit in await api.recall(**asked)]
    deep = [hit["note"]["id"] for hit in await api.recall(**asked, deep=True)]
    assert (rumour in ids, rumour in deep) == (False, True)
    # The evening of that day is told as it was.
    assert (await api(LIST, at=evening))["notes"]["totalCount"] == written
    assert (await life.read(rumour, evening))["status"] == "ACTIVE"
    # Back, and back again.
    assert (await api(RESTORE, id=rumour))["restore"] == {"status": "ACTIVE"}
    life.here.clock.move(1)
    at = life.now()
    life.here.clock.move(1)
    await api(REVISE, id=rumour, c="The gate code of the yard is 1188.")
    assert (await api(REVERT, id=rumour))["revertNote"]["content"].endswith("4711.")
    await api(REVISE, id=rumour, c="The gate code of the yard is 2299.")
    assert await api(BACK, at=at, dry=True) == {"revertTo": 1}
    assert "2299" in (await life.read(rumour))["content"]
    assert await api(BACK, at=at, dry=False) == {"revertTo": 1}
    assert "4711" in (await life.read(rumour))["content"]
    # The end, of which the events still tell, without a word of the note.
    told = (await api(EVENTS, s=rumour))["events"]
    assert {"CREATE", "DECAY", "EDIT", "REVERT"} <= {each["type"] for each in told}
    assert [each["actor"] for each in told if each["type"] == "CREATE"] == ["bot:helper"]
    assert (await api(PURGE, id=rumour))["forget"]["forgotten"] == 1
    assert await api.code(READ, id=rumour) == "NOT_FOUND"
    assert await api.code(READ, id=rumour, at=evening) == "NOT_FOUND"
    deep = [hit["note"]["id"] for hit in await api.recall(**asked, deep=True)]
    assert rumour not in deep
    every = (await api(EVENTS))["events"]
    assert "4711" not in str(every)
    assert {"DELETE", "ARCHIVE", "PROPOSE"} <= {each["type"] for each in every}
