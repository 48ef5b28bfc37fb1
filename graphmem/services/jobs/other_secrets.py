"""Secrets in texts that are no notes, and in what teams share, from when nobody looked for them.

A part of the job `maintain_memory`, by the rules of `secrets`. Where such a text has no readers to
choose, `user_only` cuts secrets out, too; a proposed note becomes one for the user alone."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

from graphmem.domain.notes import Note
from graphmem.domain.owners import Owner
from graphmem.domain.proposals import ProposalKind, ProposalStatus
from graphmem.domain.visibility import (
    Section,
    Visibility,
    audience_of,
    in_quarantine,
)
from graphmem.domain.writing import Secrets
from graphmem.errors import Stale
from graphmem.language.keywords import context as one_sentence
from graphmem.language.keywords import keywords
from graphmem.services.commons.skills import keywords_of
from graphmem.services.context import Access, Context
from graphmem.services.forgetting.cutting import cut_past, holds
from graphmem.services.forgetting.cutting_others import changed_texts, cut_text
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.jobs.secrets import FORMS, OVERLAP, SURE_SECRETS, Search, go_on
from graphmem.services.writing.change_set import WorkingNote
from graphmem.services.writing.words import word_properties
from graphmem.store import knowledge, proposals
from graphmem.store import other_secrets as store
from graphmem.store.events import append_each_step, append_step, event_row
from graphmem.store.links import RELATER
from graphmem.store.notes import load_notes
from graphmem.store.other_secrets import Kind, LedTeam, OldText
from graphmem.store.secrets import list_changed, read_texts

PAGE: Final = 50
MOST: Final = 2_000  # texts of an owner in a run
_NOTES: Final = Kind(label="Note", what="what the team knows")


@dataclass(frozen=True)
class _Search:
    """One search: of whom, through what, and how one of these is settled."""

    owner: Owner
    kinds: Sequence[Kind]
    read: Callable[[Kind, datetime, str], Awaitable[Sequence[OldText]]]
    settle: Callable[[OldText], Awaitable[bool]]


async def look_through_others(context: Context, beat: JobHeartbeat, access: Access) -> None:
    """Look through the texts of a user that are no notes, and through what the teams share that the
    user leads, some in each run, and again those that were written since."""
    owner = Owner(access.viewer.user)

    async def settle(found: OldText) -> bool:
        return await _settle(context, owner, found)

    async def look_at_own(one: Sequence[Owner]) -> None:
        reader = _reader(context, one[0])
        await _look(context, beat, _Search(one[0], store.OF_USERS, reader, settle))

    await beat.each([owner], look_at_own)
    for team in await store.teams_led(context.graph, owner.id):

        async def look(one: Sequence[LedTeam]) -> None:
            await _look_through_team(context, beat, one[0])

        await beat.each([team], look)


async def _look_through_team(context: Context, beat: JobHeartbeat, team: LedTeam) -> None:
    owner = Owner(team.id, is_team=True)
    read_text = _reader(context, owner)

    async def read(kind: Kind, since: datetime, after: str) -> Sequence[OldText]:
        if kind is not _NOTES:
            return await read_text(kind, since, after)
        given = (owner.name, since, after, PAGE, context.clock())
        ids = await list_changed(context.graph, *given)
        return [
            OldText(kind=kind, owner=owner.name, place=i, id=i, texts={}, about={}) for i in ids
        ]

    async def settle(found: OldText) -> bool:
        if found.kind is _NOTES:
            return await _settle_shared(context, team, owner, found.id)
        return await _settle(context, owner, found, team)

    await _look(context, beat, _Search(owner, (_NOTES, *store.OF_TEAMS), read, settle))


def _reader(
    context: Context, owner: Owner
) -> Callable[[Kind, datetime, str], Awaitable[Sequence[OldText]]]:
    async def read(kind: Kind, since: datetime, after: str) -> Sequence[OldText]:
        return await store.list_texts(context.graph, kind, owner, since, after, PAGE)

    return read


async def _look(context: Context, beat: JobHeartbeat, given: _Search) -> None:
    """Go on with a search, kind by kind and page by page, for a run."""
    policy, graph = context.writing.secrets, context.graph
    seen = await store.read_seen(graph, given.owner)
    if policy is Secrets.OFF:
        if seen:
            await store.keep_seen(graph, given.owner, None)
        return
    search = go_on(seen, f"{policy}/{FORMS}", context.clock())
    since = datetime.fromisoformat(search.since)
    for _ in range(MOST // PAGE):
        number, _, after = search.after.partition(" ")
        kind = int(number or 0)
        page = list[OldText]()

        async def read(place: Sequence[tuple[Kind, str]], page: list[OldText] = page) -> None:
            page += await given.read(place[0][0], since, place[0][1])

        failed = await beat.each([(given.kinds[kind], after)], read)  # the next kind goes on
        if failed or await _settle_page(beat, page, given.settle):
            search = replace(search, left=("some",))
        if len(page) == PAGE:
            search = replace(search, after=f"{kind} {page[-1].place}")
        elif kind + 1 < len(given.kinds):
            search = replace(search, after=f"{kind + 1} ")
        else:
            search = _end(search)
        if page or not search.after:
            await store.keep_seen(graph, given.owner, json.dumps(asdict(search)))
        if not search.after:
            return
        await beat.checkpoint()


def _end(search: Search) -> Search:
    """Return a search that is done; if something was left, the next one begins as this one did."""
    if not search.left:
        return replace(search, after="")
    began = datetime.fromisoformat(search.since) + OVERLAP
    return replace(search, after="", left=(), began=began.isoformat())


async def _settle_page(
    beat: JobHeartbeat, page: Sequence[OldText], settle: Callable[[OldText], Awaitable[bool]]
) -> bool:
    """Look through texts, each by itself; returns whether some could not be."""
    left = False

    async def settle_one(one: Sequence[OldText]) -> None:
        nonlocal left
        try:
            beat.counts.update(secretsFound=int(await settle(one[0])))
        except Stale:  # somebody changes it
            beat.counts.update(secretsLeft=1)
            left = True

    for each in page:
        left = bool(await beat.each([each], settle_one)) or left
        await beat.checkpoint()
    return left


async def _settle(
    context: Context, owner: Owner, found: OldText, team: LedTeam | None = None
) -> bool:
    """Look through one thing with texts; returns whether something was done."""
    if context.writing.secrets is Secrets.USER_ONLY and _is_note_to_be(found):
        if not await changed_texts(context, SURE_SECRETS, found):
            return False
        return await _close(context, owner, found)
    return await cut_text(context, SURE_SECRETS, owner, found, team)


def _is_note_to_be(found: OldText) -> bool:
    """Return True for the proposal of a note of the user that is none yet."""
    about = found.about
    return (
        found.kind.label == "Proposal"
        and about["kind"] == ProposalKind.WRITE
        and about["status"] != ProposalStatus.COMMITTED
    )


async def _close(context: Context, owner: Owner, found: OldText) -> bool:
    """Make a proposed note one for the user alone; returns whether it was not."""
    about, draft = found.about, json.loads(found.texts["draft"])
    audience = audience_of(owner.id, Visibility.USER_ONLY, about["domain"])
    if in_quarantine(about["audience"]) or audience.key == about["audience"]:
        return False
    draft["visibility"] = Visibility.USER_ONLY  # also if rules change, and once it is accepted
    given = {"asked": Visibility.USER_ONLY, "draft": json.dumps(draft)}
    event = event_row(
        "VISIBILITY",
        "it holds a secret",
        audience=audience.key,
        actor=RELATER,
        at=context.clock(),
        subject_id=found.id,
        domain=about["domain"],
    )
    await context.graph.write(
        proposals.follow_step({found.id: (about["audience"], audience)}),
        store.replace_step(found, {"draft": found.texts["draft"]}, given),
        append_step(owner.name, [event]),
    )
    context.signal(owner.id)
    return True


async def _settle_shared(context: Context, team: LedTeam, owner: Owner, id: str) -> bool:
    """Look through a note of a team; returns whether something was done."""
    now = context.clock()
    found = await read_texts(context.graph, owner.name, id, now)
    if found is None:
        return False
    cut = await cut_past(context, SURE_SECRETS, id)
    if await holds(context, SURE_SECRETS, found):
        note = (await load_notes(context.graph, [id], [found.audience], now)).get(id)
        if note is not None:
            await _cut_shared(context, team, note, found.trigger)
            cut = True
    return cut


async def _cut_shared(context: Context, team: LedTeam, note: Note, trigger: str | None) -> None:
    """Cut the secrets out of a note of a team; who agreed on it did so on what is left, and uses of
    a skill are counted from zero."""
    now = context.clock()
    names = ("content", "title", "tags", "speaker", "metadata")
    clean = SURE_SECRETS.clean(
        {**{name: getattr(note, name) for name in names}, "trigger": trigger}
    )
    trigger, content = clean.pop("trigger"), clean["content"]
    words = (
        keywords_of(clean["title"] or "", trigger, content)
        if note.section is Section.SKILLS
        else tuple(keywords(content)[:7])
    )
    new = replace(note, **clean, context=one_sentence(content), keywords=words)
    given = WorkingNote.of(note).with_change(new, now, "EDIT", "").changed_properties(None)
    given |= word_properties(new) | {"trigger": trigger}
    [vector] = await context.embedder.embed_documents([new.reading_text])
    step = knowledge.change_shared_step(
        note.id, note.version, note.audience, given, vector, actor=RELATER, now=now
    )

    def event() -> Any:
        return event_row(
            "EDIT",
            f"{SURE_SECRETS.done} of {_NOTES.what}",
            audience=note.audience.key,
            actor=RELATER,
            at=now,
            subject_id=note.id,
            domain=note.domain,
            channel="knowledge_update",
        )

    await context.graph.write(step, append_each_step({m: event() for m in team.members}))
    for member in team.members:
        context.signal(member)
