"""What the rules left unclear is put to an LLM on a real graph: what its word does, and that it
does nothing when it fails or is not borne out."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from scripted_llm import Reply, ScriptedLlm, says, scripted_llm

from graphmem.ai.llm import MAX_CALLS, Llm
from graphmem.ai.llm_breaker import Breaker
from graphmem.ai.llm_usage import Prices
from graphmem.domain.notes import Note, NoteDraft, Operation, Status
from graphmem.domain.visibility import Visibility
from graphmem.language.comparison.conflicts import ConflictFound, ConflictVerdict
from graphmem.services import actors, conflicts
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import require_note
from graphmem.services.refinement.refiner import Refiner
from graphmem.services.writing import changing as notes
from graphmem.services.writing.remember import remember

FAST, QUICK = "The tests run fast here.", "Testing is quick."
PLAIN = {  # a description of which the rules take nothing but the importance
    "context": "",
    "keywords": [],
    "tags": [],
    "entities": [],
    "relations": [],
    "importance": 0.5,
    "visibility": "OPEN",
}


def verdict(of: str, keep: str = "neither", reason: str = "both are about speed") -> Reply:
    return says({"verdict": of, "keep": keep, "reason": reason})


@dataclass
class Vectors:
    """An embedder that knows the vectors of some texts, so that cosines can be chosen."""

    base: Any
    known: dict[str, list[float]] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        made = await self.base.embed_documents(texts)
        vectors = dict(zip(texts, made, strict=True)) | self.known
        return [vectors[text] for text in texts]

    def place(self, text: str, cosine: float) -> None:
        """Put a text at a cosine from the axis."""
        vector = [0.0] * self.base.dimension
        vector[0], vector[1] = cosine, (1 - cosine**2) ** 0.5
        self.known[text] = vector


@dataclass
class World:
    """A user with a refiner whose LLM is the scripted one."""

    context: Context
    refiner: Refiner
    user: str
    server: ScriptedLlm

    async def access(self, agent: str | None = None) -> Access:
        return await actors.open_access(self.context, self.user, agent, register=True)

    async def say(
        self, text: str, cosine: float, *script: Reply, agent: str | None = None, **given: Any
    ) -> Note:
        """Remember a note at a cosine from the axis; the LLM answers by the script."""
        assert isinstance(self.context.embedder, Vectors)
        self.context.embedder.place(text, cosine)
        self.server.script = [*self.server.script[: self.server.calls], *script]
        given = {"visibility": Visibility.OPEN, "domain": "d"} | given
        draft = NoteDraft(content=text, **given)
        made = await remember(self.context, await self.access(agent), draft)
        await self.refiner.drain()
        assert made.operation is Operation.ADD
        assert made.note is not None
        return made.note

    async def pair(
        self,
        *script: Reply,
        one: str = FAST,
        other: str = QUICK,
        cosine: float = 0.92,
        **given: Any,
    ) -> Any:
        """Two notes that the rules can't tell apart; the second one's LLM answers by the script."""
        first = given.pop("first", {})
        old = await self.say(one, 1.0, says(PLAIN), **(given | first))
        return old, await self.say(other, cosine, says(PLAIN), *script, **given)

    async def now(self, note: Note) -> Note:
        return await require_note(self.context, await self.access(), note.id)

    async def conflicts(self, *, is_open: bool) -> list[ConflictFound]:
        access = await self.access()
        return await conflicts.list_conflicts(self.context, access, is_open=is_open, first=50)

    async def spent(self, note: Note) -> tuple[int, int]:
        answer = await self.context.graph._driver.execute_query(
            "MATCH (n:Note {id: $id}) RETURN n.llmCalls AS calls, n.llmTokensIn AS tokens",
            {"id": note.id},
        )
        return answer.records[0]["calls"], answer.records[0]["tokens"]

    @property
    def compared(self) -> list[dict[str, str]]:
        """The pairs that the LLM was asked about."""
        asked = (json.loads(each["messages"][1]["content"]) for each in self.server.asked)
        return [each for each in asked if "first" in each]


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    with scripted_llm() as fake:
        fake.script = []
        yield fake


@pytest.fixture
async def world(
    context: Context, server: ScriptedLlm, new_user: Callable[[], str]
) -> AsyncIterator[World]:
    own = replace(context, embedder=Vectors(context.embedder))
    llm = Llm(
        "m",
        url=server.url,
        timeout_s=4.0,
        prices=Prices(tokens_in=1.0, tokens_out=10.0),
        breaker=Breaker(failures=1_000),
        retry_wait_s=0.01,
    )
    refiner = Refiner(own, llm, workers=1, drain_s=0.2)
    await refiner.start()
    yield World(replace(own, refiner=refiner), refiner, new_user(), server)
    server.release.set()
    await refiner.close()


@pytest.mark.feature("MUMA-108")
@pytest.mark.parametrize(
    ("said", "keep"),
    [("COMPATIBLE", "neither"), ("CONTRADICTORY", "neither"), ("SUBSUMES", "first")],
)
async def test_its_word_ends_a_conflict_as_the_users_would(
    world: World, said: str, keep: str
) -> None:
    old, new = await world.pair(verdict(said, keep), first={"confidence": 0.95})
    assert await world.conflicts(is_open=True) == []
    (closed,) = await world.conflicts(is_open=False)
    assert (closed.verdict, set(closed.notes)) == (ConflictVerdict(said), {old.id, new.id})
    assert closed.resolution is not None
    assert closed.resolution.endswith("the LLM: both are about speed")
    told = world.compared[0]
    kept, gone = (old, new) if (keep == "neither" or told["first"] == FAST) else (new, old)
    assert (await world.now(gone)).status is Status.ARCHIVED
    after = await world.now(kept)
    assert after.status is Status.ACTIVE
    if said == "COMPATIBLE":
        assert FAST in after.content
        assert QUICK in after.content
    else:
        assert after.content == kept.content
    assert await world.spent(new) == (2, 200)  # both questions are the new note's
    # As after the user's own word, what was put away can be brought back.
    restored = await notes.restore(world.context, await world.access(), gone.id)
    assert restored.status is Status.ACTIVE


FAILS: dict[str, tuple[Callable[[ScriptedLlm], Reply], int]] = {
    "garbage": (lambda _: says("%%% not JSON"), 3),
    "another verdict": (lambda _: verdict("MERGE"), 3),
    "500": (lambda _: Reply(500), 3),
    "429": (lambda _: Reply(429, b"", {"Retry-After": "0"}), 3),
    "401": (lambda _: Reply(401), 2),
    "slow": (lambda server: server.slow(verdict("COMPATIBLE")), 2),
    "unsure": (lambda _: verdict("AMBIGUOUS"), 2),
}


@pytest.mark.feature("MUMA-75", "MUMA-108")
@pytest.mark.parametrize("name", FAILS)
async def test_the_pair_waits_for_the_user_when_it_fails(world: World, name: str) -> None:
    reply, calls = FAILS[name]
    old, new = await world.pair(reply(world.server))
    (found,) = await world.conflicts(is_open=True)
    assert (found.verdict, set(found.notes)) == (ConflictVerdict.AMBIGUOUS, {old.id, new.id})
    for note in (old, new):
        now = await world.now(note)
        assert (now.status, now.content) == (Status.ACTIVE, note.content)
    assert (await world.spent(new))[0] == calls <= MAX_CALLS
    assert await world.conflicts(is_open=False) == []


@pytest.mark.feature("MUMA-108")
async def test_a_write_takes_three_calls_at_most(world: World) -> None:
    """The description took two already; one is left, and no repair."""
    old = await world.say(FAST, 1.0, says(PLAIN))
    new = await world.say(QUICK, 0.92, says("no"), says(PLAIN), says("no"), says("no"))
    assert (await world.spent(new))[0] == MAX_CALLS
    assert world.server.calls == 1 + MAX_CALLS
    assert {note.status for note in (await world.now(old), await world.now(new))} == {Status.ACTIVE}


@pytest.mark.feature("MUMA-75")
@pytest.mark.parametrize("said", ["COMPATIBLE", "SUBSUMES"])
async def test_different_numbers_are_never_merged(world: World, said: str) -> None:
    """Texts of many sentences, which the rules do not compare."""
    story = " ".join(f"Part {word} of the story is told." for word in "abcdefghijklm")
    one, other = f"The kiln has 3 relays. {story}", f"{story} The kiln has 4 relays."
    old, new = await world.pair(verdict(said, "first"), one=one, other=other, cosine=0.88)
    assert len(world.compared) == 1
    (found,) = await world.conflicts(is_open=True)
    assert found.verdict is ConflictVerdict.AMBIGUOUS
    assert ((await world.now(old)).content, (await world.now(new)).content) == (one, other)


@pytest.mark.feature("MUMA-120")
@pytest.mark.parametrize(
    "first",
    [{"visibility": Visibility.PRIVATE}, {"domain": "e"}, {"visibility": Visibility.SCOPED}],
)
async def test_notes_of_two_audiences_are_never_sent_together(
    world: World, first: dict[str, Any]
) -> None:
    old, new = await world.pair(verdict("COMPATIBLE"), first=first)
    assert world.compared == []
    for asked in world.server.asked:
        text = asked["messages"][1]["content"]
        assert not (FAST in text and QUICK in text)
    assert await world.conflicts(is_open=True) == []
    assert {(await world.now(note)).status for note in (old, new)} == {Status.ACTIVE}


@pytest.mark.feature("MUMA-120")
async def test_a_writer_changes_nothing_that_it_may_not_read(world: World) -> None:
    """An agent writes where it may not read."""
    person = await world.access()
    await actors.register_agent(world.context, person, "narrow", domains=["elsewhere"])
    old = await world.say(FAST, 1.0, says(PLAIN), visibility=Visibility.SCOPED)
    script = (says(PLAIN), verdict("CONTRADICTORY"))
    new = await world.say(
        QUICK, 0.92, *script, agent="narrow", visibility=Visibility.SCOPED, confidence=1.0
    )
    assert new.audience == old.audience
    assert world.compared == []
    assert (await world.now(old)).status is Status.ACTIVE


@pytest.mark.parametrize("given", [{"pinned": True}, {"load_bearing": True}])
async def test_protected_notes_are_not_sent(world: World, given: dict[str, Any]) -> None:
    old, new = await world.pair(verdict("CONTRADICTORY"), first=given)
    assert world.compared == []
    assert {(await world.now(note)).status for note in (old, new)} == {Status.ACTIVE}


async def test_a_pair_is_asked_about_once(world: World) -> None:
    await world.pair(verdict("AMBIGUOUS"))
    await world.say("Running tests takes a moment.", 0.95, says(PLAIN), verdict("AMBIGUOUS"))
    pairs = [frozenset(each.values()) for each in world.compared]
    assert len(pairs) == len(set(pairs)) == 2


async def test_a_note_that_changed_meanwhile_stays(world: World) -> None:
    """The user's word comes while the LLM thinks."""
    slow = world.server.slow(verdict("CONTRADICTORY"))
    old = await world.say(FAST, 1.0, says(PLAIN))
    assert isinstance(world.context.embedder, Vectors)
    world.context.embedder.place(QUICK, 0.92)
    world.server.reached.clear()
    world.server.script = [says(PLAIN), says(PLAIN), slow]
    access = await world.access()
    draft = NoteDraft(content=QUICK, visibility=Visibility.OPEN, domain="d")
    new = (await remember(world.context, access, draft)).note
    assert new is not None
    async with asyncio.timeout(60):
        while not world.compared:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    for note in (old, new):
        await notes.revise(world.context, access, note.id, notes.Edit(importance=0.9))
    world.server.release.set()
    await world.refiner.drain()
    assert {(await world.now(note)).status for note in (old, new)} == {Status.ACTIVE}
    assert len(await world.conflicts(is_open=True)) == 1
