"""Verdicts of rules on entities: left for one audience, seen, refused, carried out, undone."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from aged_notes import JobHeartbeat
from own_batches import keep_batches_to

from graphmem.domain.actors import WritePermission
from graphmem.domain.identity import RULES
from graphmem.domain.notes import EntityDraft, NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.errors import Conflict, Forbidden, Invalid, NotFound
from graphmem.services import resolution
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Context
from graphmem.services.forgetting import forgetting
from graphmem.services.jobs.merging import merge_entities
from graphmem.services.reading import entities, likely_entities
from graphmem.services.writing import visibility
from graphmem.services.writing.changing import Edit, revise
from graphmem.services.writing.remember import remember
from graphmem.store import resolution as store
from graphmem.store.changes import Mentions, create_step
from graphmem.store.resolution import WAIT, keep_verdicts
from graphmem.store.rows import MentionRow

Ask = Callable[..., Awaitable[list[list[Any]]]]
LONG, SHORT = "Prof. Hiro Tanaka", "Hiro Tanaka"
VERDICTS = """MATCH (e:Entity {user: $user})-[s:SAME_AS]->(p)
    RETURN e.name, p.name, s.by, s.audience ORDER BY s.audience"""
BEGINS = datetime(2026, 3, 10, 12, tzinfo=UTC)
READERS: dict[str, Any] = {"domain": "work", "visibility": Visibility.SCOPED}


class World:
    """One user's notes, and jobs over them alone at any time."""

    def __init__(self, context: Context, user: str, rows: Ask) -> None:
        self._context, self.user, self._rows, self.now = context, user, rows, BEGINS

    @property
    def context(self) -> Context:
        return replace(self._context, clock=lambda: self.now)

    async def access(self, agent: str | None = None) -> Any:
        return await open_access(self.context, self.user, agent, register=True)

    async def write(self, text: str, *names: str, **given: Any) -> str:
        drafts = tuple(EntityDraft(name=name, type="person") for name in names)
        draft = NoteDraft(content=text, entities=drafts, **READERS | given)
        result = await remember(self.context, await self.access(), draft, WriteMode.VERBATIM)
        assert result.note is not None
        return result.note.id

    async def tell(self, **given: Any) -> list[str]:
        """Two notes that name one person in two ways, each beside the same other person."""
        return [
            await self.write(f"{LONG} met Ada Kessler.", LONG, "Ada Kessler", **given),
            await self.write(f"{SHORT} called Ada Kessler.", SHORT, "Ada Kessler", **given),
        ]

    async def judge(self) -> None:
        """The look of `resolve_duplicates` at each audience."""
        access = await self.access()
        for audience in access.audiences:
            alone = replace(access, audiences=(audience,), version=None)
            pairs = await resolution.list_sure_pairs(self.context, alone)
            await keep_verdicts(self.context.graph, self.user, audience.key, pairs, self.now)

    async def merge(self, after: timedelta = WAIT) -> dict[str, int]:
        self.now += after
        return dict(await merge_entities(self.context, cast("Any", JobHeartbeat())))

    async def verdicts(self) -> list[list[Any]]:
        return await self._rows(VERDICTS, user=self.user)

    async def reviews(self, agent: str | None = None) -> list[resolution.EntityReview]:
        return await resolution.list_reviews(self.context, await self.access(agent), 20)

    async def is_one(self, agent: str | None = None) -> bool:
        """Whether both names are of one entity, for whoever asks."""
        one, other = await self.ends(agent)
        return one == other

    async def ends(self, agent: str | None = None) -> tuple[str, str]:
        access = await self.access(agent)
        one, other = [
            await entities.get_entity(self.context, access, None, name) for name in (LONG, SHORT)
        ]
        return one.id, other.id

    async def refuse(self, agent: str | None = None) -> None:
        ends = await self.ends(agent)
        await resolution.refuse_merge(self.context, await self.access(agent), *ends)


@pytest.fixture
async def world(
    context: Context, new_user: Callable[[], str], rows: Ask, monkeypatch: pytest.MonkeyPatch
) -> World:
    made = World(context, new_user(), rows)
    keep_batches_to(monkeypatch, lambda: [made.user])
    await made.access()
    return made


async def test_what_rules_hold_to_be_one_is_seen_and_then_merged(world: World) -> None:
    await world.tell()
    assert [review.merges_at for review in await world.reviews()] == [None]
    await world.judge()
    [[whole, part, by, audience]] = await world.verdicts()
    assert (whole, part, by) == (LONG, SHORT, RULES)
    assert audience == f"u:{world.user}/SCOPED/work"
    [review] = await world.reviews()
    assert review.merges_at == BEGINS + WAIT
    assert await world.merge(WAIT - timedelta(seconds=1)) == {"merged": 0, "dropped": 0}
    await world.judge()  # since when it holds so does not change
    assert await world.merge(timedelta(seconds=1)) == {"merged": 1, "dropped": 0}
    assert await world.verdicts() == []
    assert await world.is_one()
    assert await world.reviews() == []
    assert await world.merge() == {"merged": 0, "dropped": 0}


async def test_a_merge_by_rules_is_undone_for_good(world: World) -> None:
    await world.tell()
    await world.judge()
    await world.merge()
    whole, _ = await world.ends()
    access = await world.access()
    [made] = (await resolution.merges_of(world.context, access, [whole], 9))[whole]
    assert (made.actor, made.merged_name, made.undone) == (RULES, SHORT, False)
    await resolution.undo_merge(world.context, access, made.id)
    assert not await world.is_one()
    await world.judge()
    assert await world.verdicts() == []
    assert await world.reviews() == []


async def test_what_was_refused_is_never_held_nor_asked_again(world: World) -> None:
    await world.tell()
    await world.judge()
    await world.refuse()
    assert (await world.verdicts(), await world.reviews()) == ([], [])
    await world.refuse()  # changes nothing
    access, (whole, _) = await world.access(), await world.ends()
    [past] = (await resolution.merges_of(world.context, access, [whole], 9))[whole]
    assert (past.actor, past.merged_name, past.undone) == (RULES, SHORT, True)
    await world.judge()
    assert await world.verdicts() == []
    assert (await world.merge())["merged"] == 0
    assert not await world.is_one()
    access, (one, other) = await world.access(), await world.ends()
    await resolution.merge_entities(world.context, access, one, other)  # by hand it still can be
    assert await world.is_one()
    with pytest.raises(Conflict):
        await resolution.refuse_merge(world.context, access, one, other)


async def test_bad_refusals_change_nothing(world: World) -> None:
    await world.tell()
    await world.judge()
    access, (one, _) = await world.access(), await world.ends()
    with pytest.raises(Invalid):
        await resolution.refuse_merge(world.context, access, one, one)
    with pytest.raises(NotFound):
        await resolution.refuse_merge(world.context, access, one, "e-none")
    await register_agent(world.context, access, "elsewhere", domains=["home"])
    with pytest.raises(NotFound):
        await resolution.refuse_merge(
            world.context, await world.access("elsewhere"), *await world.ends()
        )
    assert len(await world.verdicts()) == 1


async def test_an_ambiguous_name_is_left_to_a_person(world: World) -> None:
    await world.tell()
    await world.write("Dr. Hiro Tanaka wrote to Ada Kessler.", "Dr. Hiro Tanaka", "Ada Kessler")
    await world.judge()
    assert await world.verdicts() == []
    assert len(await world.reviews()) > 1


async def test_a_verdict_is_for_one_audience_and_tells_others_nothing(world: World) -> None:
    await register_agent(world.context, await world.access(), "narrow", domains=["home"])
    given = {"domain": "home", "visibility": Visibility.SCOPED}
    await world.write(f"{LONG} sings.", LONG, **given)  # of the agent's notes no verdict follows
    await world.write(f"{SHORT} dances.", SHORT, **given)
    await world.tell(domain="work")
    before = await world.reviews("narrow")
    await world.judge()
    assert [row[3] for row in await world.verdicts()] == [f"u:{world.user}/SCOPED/work"]
    assert await world.reviews("narrow") == before
    [review] = await world.reviews()
    assert review.merges_at is not None
    await world.merge()
    assert await world.is_one()
    assert not await world.is_one("narrow")
    assert await world.reviews("narrow") == before
    await world.refuse("narrow")  # for those who may read its notes: the user is among them
    assert not await world.is_one()


@pytest.mark.parametrize("refused", [True, False])
async def test_of_two_audiences_a_person_parts_both(world: World, refused: bool) -> None:
    await register_agent(world.context, await world.access(), "narrow", domains=["home"])
    await world.tell(domain="work")
    await world.tell(domain="home")
    await world.judge()
    assert len(await world.verdicts()) == 2
    if refused:
        await world.refuse()
        assert await world.verdicts() == []
        assert (await world.merge())["merged"] == 0
    else:
        assert (await world.merge())["merged"] == 2
        whole, _ = await world.ends()
        access = await world.access()
        [made] = (await resolution.merges_of(world.context, access, [whole], 9))[whole]
        await resolution.undo_merge(world.context, access, made.id)
    assert not await world.is_one()
    assert not await world.is_one("narrow")
    await world.judge()
    assert await world.verdicts() == []


@pytest.mark.parametrize("how", ["narrowed", "purged", "forgotten", "revised"])
async def test_a_verdict_goes_with_the_notes_that_it_was_made_by(world: World, how: str) -> None:
    _, note = await world.tell()
    await world.judge()
    access = await world.access()
    if how == "narrowed":
        await visibility.set_note_visibility(world.context, access, note, Visibility.USER_ONLY)
    elif how == "revised":
        await revise(world.context, access, note, Edit(content=f"{SHORT} called nobody."))
    else:
        options: dict[str, Any] = {"query": None, "confirm": False, "reason": None}
        permanent = how == "purged"
        await forgetting.forget(world.context, access, note_id=note, permanent=permanent, **options)
    assert await world.verdicts() == []
    assert (await world.merge())["merged"] == 0


async def test_an_agent_that_may_only_propose_refuses_nothing(world: World) -> None:
    await world.tell()
    await register_agent(
        world.context,
        await world.access(),
        "trainee",
        domains=["work"],
        writes=WritePermission.PROPOSE,
    )
    with pytest.raises(Forbidden):
        await world.refuse("trainee")


async def test_a_verdict_goes_when_a_note_gives_another_type(world: World, rows: Ask) -> None:
    await world.tell()
    await world.judge()
    key = """MATCH (e:Entity {user: $user, name: $name})<-[:MENTIONS {given: true}]-(n)
        RETURN e.key, n.id"""
    [[known, note]] = await rows(key, user=world.user, name=SHORT)
    mention = MentionRow(
        note_id=note,
        key=known,
        name=SHORT,
        type="project",
        cased=False,
        keys=(),
        names=(),
        given=True,
    )
    step = create_step([], Mentions(mentions=[mention]), user=world.user, actor="x", now=world.now)
    await world.context.graph.write(step)
    assert await world.verdicts() == []


async def test_an_agents_refusal_stops_no_one_from_refusing_for_other_readers(
    world: World,
) -> None:
    await register_agent(world.context, await world.access(), "narrow", domains=["home"])
    await world.tell(domain="work")
    await world.tell(domain="home")
    await world.judge()
    await world.refuse("narrow")
    assert [row[3] for row in await world.verdicts()] == [f"u:{world.user}/SCOPED/work"]
    [review] = await world.reviews()  # what the user has seen parted is still merged for others
    assert review.merges_at == BEGINS + WAIT
    assert await world.reviews("narrow") == []
    await world.refuse()
    assert (await world.verdicts(), await world.reviews()) == ([], [])
    await world.judge()
    assert await world.verdicts() == []


async def test_the_user_refuses_for_all_what_an_agent_has_refused_for_some(world: World) -> None:
    await register_agent(world.context, await world.access(), "narrow", domains=["home"])
    await world.tell(domain="work")
    await world.tell(domain="home")
    await world.refuse("narrow")  # before anybody judges
    await world.refuse()
    await world.judge()
    assert await world.verdicts() == []


async def test_a_refusal_is_of_all_names_of_both(world: World, rows: Ask) -> None:
    await world.tell()
    called = EntityDraft(name=LONG, type="person", aliases=("Old Hiro",))
    await remember(
        world.context,
        await world.access(),
        NoteDraft(content=f"{LONG} is called Old Hiro.", entities=(called,), **READERS),
        WriteMode.VERBATIM,
    )
    await world.refuse()
    pairs = "MATCH (a:Entity {user: $user})-[:HAD_ABSORBED]-(b) WHERE a.name = $name RETURN b.name"
    told = {row[0] for row in await rows(pairs, user=world.user, name=SHORT)}
    assert told == {LONG, "Old Hiro"}
    access, (whole, other) = await world.access(), await world.ends()
    merges = await resolution.merges_of(world.context, access, [whole, other], 9)
    assert sum(each.undone for some in merges.values() for each in some) == 1  # shown once
    ids = dict(await rows("MATCH (e:Entity {user: $user}) RETURN e.name, e.id", user=world.user))
    held = [(ids["Old Hiro"], ids[SHORT], 0.95)]
    audience = f"u:{world.user}/SCOPED/work"
    await keep_verdicts(world.context.graph, world.user, audience, held, world.now)
    assert await world.verdicts() == []  # also where it was judged before the refusal


async def test_what_was_refused_meanwhile_is_not_held_nor_carried_out(
    world: World, rows: Ask
) -> None:
    await world.tell()
    await world.judge()
    whole, part = await world.ends()
    await world.refuse()
    audience = f"u:{world.user}/SCOPED/work"
    held = [(whole, part, 0.95)]
    await keep_verdicts(world.context.graph, world.user, audience, held, world.now)
    assert await world.verdicts() == []
    put = """MATCH (e:Entity {id: $whole}), (p:Entity {id: $part})
        CREATE (e)-[s:SAME_AS {id: 'late', audience: $audience, by: 'x', score: 1.0, at: $at}]->(p)
        RETURN s.id"""
    await rows(put, whole=whole, part=part, audience=audience, at=world.now)
    assert await world.merge() == {"merged": 0, "dropped": 1}
    assert not await world.is_one()


async def test_what_waits_is_listed_first_and_however_many_pairs_there_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.tell()
    await world.judge()
    monkeypatch.setattr(likely_entities, "MOST_PAIRS", 1)
    likely = store.likely_pairs

    async def others(*args: Any) -> list[tuple[str, str]]:
        return [("a-1", "a-2"), *await likely(*args)][:1]

    monkeypatch.setattr(store, "likely_pairs", others)
    [review] = await world.reviews()
    assert review.merges_at == BEGINS + WAIT
