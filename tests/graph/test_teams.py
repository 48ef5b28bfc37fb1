"""What is told of a team: to its members alone, by section, also in an open subscription."""

import asyncio
from dataclasses import replace
from typing import Any

from race_world import cypher

from graphmem.domain.actors import Agent
from graphmem.domain.ids import uuid7
from graphmem.domain.notes import EntityDraft, Note, NoteDraft, Status
from graphmem.domain.owners import Owner
from graphmem.domain.visibility import Section, team_audience
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Access, Context
from graphmem.services.events import follow, list_events
from graphmem.services.teams.teams import leave_team, register_team
from graphmem.services.writing.applying import apply
from graphmem.services.writing.change_set import ChangeSet, WorkingNote
from graphmem.services.writing.construct import note_as_said
from graphmem.services.writing.purging import purge
from graphmem.store.events import append_step, event_row
from graphmem.store.notes import load_notes

AUDIENCE = """MERGE (a:Audience {key: $key}) SET a.owner = $owner, a.section = $section,
  a.domain = $domain RETURN a.key"""
WAIT_S = 60.0


async def person(context: Context, user: str) -> Access:
    """The user as in the open mode, where the user in person is an admin."""
    return await open_access(context, user, None, register=True, admin=True)


async def tell(context: Context, team: str, section: Section, domain: str, *users: str) -> str:
    """An event for the readers of a section, in the stream of each of the users."""
    audience = team_audience(team, section, domain)
    given = {"owner": audience.owner.name, "section": section.value, "domain": domain}
    await cypher(context, AUDIENCE, key=audience.key, **given)
    summary = f"{section} {domain}"
    for user in users:
        row = event_row("EDIT", summary, audience=audience.key, actor="system", at=context.clock())
        await context.graph.write(append_step(user, [row]))
        context.signal(user)
    return summary


async def heard(context: Context, access: Access) -> set[str]:
    events = await list_events(
        context, access, after=0, types=None, actor=None, subject_id=None,
        since=None, until=None, first=100,
    )  # fmt: skip
    return {event.summary for event in events if " " in event.summary}


async def test_events_of_a_team_are_for_its_members_by_section(context: Any, new_user: Any) -> None:
    ann, eve, ops = new_user(), new_user(), new_user()
    access = await person(context, ann)
    await register_team(context, access, ops, None, [ann])
    await person(context, eve)
    told = {
        section: await tell(context, ops, section, domain, ann, eve)
        for section, domain in (
            (Section.SKILLS, "skills"),
            (Section.KNOWLEDGE, "business/sales"),
            (Section.SOPS, "business/coding"),
            (Section.BOARD, "team"),
        )
    }
    access = await person(context, ann)
    member = f"member of team {ops}"
    assert await heard(context, access) == {*told.values(), member}
    sales = Agent(id="sales", user=ann, name="sales", domains=("business/sales",))
    seen = await heard(context, replace(access, viewer=replace(access.viewer, agent=sales)))
    assert seen == {told[s] for s in (Section.SKILLS, Section.KNOWLEDGE, Section.BOARD)}
    # Even in the stream of who is no member the audience decides.
    assert await heard(context, await person(context, eve)) == set()
    named_alike = await person(context, ops)
    assert await heard(context, named_alike) == set()


async def test_a_member_who_leaves_hears_no_more_in_an_open_subscription(
    context: Any, new_user: Any
) -> None:
    ann, bob, ops = new_user(), new_user(), new_user()
    await register_team(context, await person(context, ann), ops, None, [ann, bob])
    stream = follow(context, lambda: person(context, bob), after=0)

    async def following() -> str:
        return (await asyncio.wait_for(anext(stream), WAIT_S)).summary

    try:
        assert await following() == f"member of team {ops}"
        first = await tell(context, ops, Section.BOARD, "team", bob)
        assert await following() == first
        await leave_team(context, await person(context, bob), ops)
        await tell(context, ops, Section.SKILLS, "skills", bob)
        await register_agent(context, await person(context, bob), "desk")
        # What comes is what was written before and after it; of the team there is nothing between.
        assert await following() == f"no longer a member of team {ops}"
        assert await following() == "agent desk set up"
    finally:
        await stream.aclose()
    assert first not in await heard(context, await person(context, bob))


async def test_a_change_of_members_raises_the_version_by_which_writes_are_checked(
    context: Any, new_user: Any
) -> None:
    ann, bob, ops = new_user(), new_user(), new_user()
    before = await person(context, bob)
    await register_team(context, await person(context, ann), ops, None, [ann, bob])
    after = await person(context, bob)
    assert (before.version, after.viewer.teams) == ((after.version or 0) - 1, (ops,))


async def test_a_note_of_a_team_is_written_changed_moved_and_destroyed_like_any_other(
    context: Any, new_user: Any
) -> None:
    ann, team = new_user(), Owner(new_user(), is_team=True)
    access, now = await person(context, ann), context.clock()
    names = (EntityDraft(name="Brannock Ferry"),)
    draft = NoteDraft(content="It sails at nine.", domain="business/sales", entities=names)
    said = note_as_said(access, uuid7(now), draft, now, 240.0)
    note = replace(said, user=team.name, section=Section.KNOWLEDGE)
    vector = (await context.embedder.embed_documents([note.content]))[0]
    made = WorkingNote.new(note, "CREATE", "written", draft=draft, vector=vector)
    await apply(context, access, ChangeSet.of(now, [made]))

    async def read(domain: str) -> Note:
        key = team_audience(team.id, Section.KNOWLEDGE, domain).key
        return (await load_notes(context.graph, [note.id], [key], now))[note.id]

    async def change(before: Note, **given: Any) -> None:
        working = WorkingNote.of(before).with_change(
            replace(before, **given), now, "EDIT", "changed"
        )
        await apply(context, access, ChangeSet.of(now, [working]))

    assert (await read("business/sales")).audience == note.audience
    await change(await read("business/sales"), content="It sails at ten.", tags=("ferry",))
    await change(await read("business/sales"), domain="travel")
    moved = await read("travel")
    assert (moved.version, moved.content, moved.tags) == (3, "It sails at ten.", ("ferry",))
    await change(moved, status=Status.ARCHIVED)
    owners = "MATCH (:Note {id: $id})-[:MENTIONS]->(e) RETURN DISTINCT e.user"
    assert await cypher(context, owners, id=note.id) == [[team.name]]
    await purge(context, access, [await read("travel")])
    assert await load_notes(context.graph, [note.id], [moved.audience.key], now) == {}
