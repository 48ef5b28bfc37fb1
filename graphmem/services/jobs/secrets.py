"""Secrets in notes that were written before anybody looked for them, or while nobody did.

A part of the job `maintain_memory`. Each note of a user is looked through once, with what it said
before, and again once it is changed, some in each run. As what is cut out is gone for good, only
secrets that can be nothing else are: what looks like a password or like chance is left. What is no
note of a user is looked through by `other_secrets`."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from graphmem.domain.notes import BEGINNING, Note
from graphmem.domain.visibility import Visibility, narrower_visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Stale
from graphmem.services.context import Access, Context
from graphmem.services.forgetting.cutting import Cutter, cut_note, holds_or_held
from graphmem.services.job_runs.running import JobHeartbeat
from graphmem.services.writing.changing import change_note, change_readers
from graphmem.services.writing.secrets import CUT, redact
from graphmem.store import secrets as store
from graphmem.store.links import RELATER
from graphmem.store.notes import load_notes
from graphmem.store.secrets import NoteTexts

FORMS: Final = 2  # grows with the forms of secrets that are known: all is looked through again
PAGE: Final = 200
MOST: Final = 2_000  # notes of a user in a run
MOST_LEFT: Final = 100  # notes that the next run begins with; beyond that it looks through all
OVERLAP: Final = timedelta(minutes=10)  # a write may take so long from its time to its end
COUNTS: Final = ("secretsFound", "secretsLeft")


def _without_sure(value: Any) -> Any:
    """Return texts without the secrets that can be nothing else."""
    return redact(value, Secrets.REDACT, sure=True)[0]


SURE_SECRETS: Final = Cutter(
    clean=_without_sure, done="secrets were cut out", mark=CUT, actor=RELATER
)


@dataclass(frozen=True, kw_only=True)
class Search:
    """The progress of the search through the notes of a user."""

    rule: str
    since: str  # the notes changed since then are looked through
    began: str
    after: str = ""  # the last one by id; empty once all were
    left: Sequence[str] = ()  # those that could not be looked through


async def look_for_secrets(context: Context, beat: JobHeartbeat, access: Access) -> None:
    """Look through the notes of a user that nobody has looked through, and do with what is found
    what the setting says: it is cut out of the note and of its past, or the note becomes one for
    the user alone. `block` cuts it out, too. Where nobody looks, all is looked through later."""
    policy, user, now = context.writing.secrets, access.viewer.user, context.clock()
    seen = await store.read_seen(context.graph, user)
    if policy is Secrets.OFF:
        if seen:
            await store.keep_seen(context.graph, user, None)
        return
    search = go_on(seen, f"{policy}/{FORMS}", now)
    search = replace(search, left=await _settle(context, beat, access, search.left))
    since = datetime.fromisoformat(search.since)
    for _ in range(MOST // PAGE):
        page = await store.list_changed(context.graph, user, since, search.after, PAGE, now)
        left = [*search.left, *await _settle(context, beat, access, page)]
        search = replace(search, left=left, after=page[-1] if len(page) == PAGE else "")
        is_too_much = len(left) > MOST_LEFT and not search.after
        kept = None if is_too_much else json.dumps(asdict(search))
        await store.keep_seen(context.graph, user, kept)
        if not search.after:
            return
        await beat.checkpoint()


def go_on(seen: str | None, rule: str, now: datetime) -> Search:
    """Return the search to go on with: the one that is not done, or one for what was changed since
    the last one; for all where nobody looked by this rule."""
    given = json.loads(seen) if seen and seen.startswith("{") else {}
    if given.get("rule") != rule:
        return Search(rule=rule, since=BEGINNING.isoformat(), began=now.isoformat())
    search = Search(**given)
    if search.after:
        return search
    since = datetime.fromisoformat(search.began) - OVERLAP
    return replace(search, since=since.isoformat(), began=now.isoformat())


async def _settle(
    context: Context, beat: JobHeartbeat, access: Access, notes: Sequence[str]
) -> list[str]:
    """Look through notes, each by itself; returns those that could not be."""
    left: list[str] = []

    async def settle(one: Sequence[str]) -> None:
        try:
            found = await _settle_note(context, access, one[0])
        except Stale:  # somebody changes it
            beat.counts.update(secretsLeft=1)
            left.append(one[0])
        else:
            if found:
                beat.counts.update(secretsFound=1)

    for note in dict.fromkeys(notes):
        left += await beat.each([note], settle)
        await beat.checkpoint()
    return left


async def _settle_note(context: Context, access: Access, note_id: str) -> bool:
    """Look through a note; returns whether something was done."""
    now = context.clock()
    found = await store.read_texts(context.graph, access.viewer.user, note_id, now)
    if found is None:
        return False
    if context.writing.secrets is Secrets.USER_ONLY and not _is_local(found):
        if not await holds_or_held(context, SURE_SECRETS, found, note_id):
            return False
        note = (await load_notes(context.graph, [note_id], [found.audience], now)).get(note_id)
        return note is not None and await _close(context, access, note)
    return await cut_note(context, SURE_SECRETS, access, note_id, found, now)


def _is_local(found: NoteTexts) -> bool:
    """Return True for the local memory of a session, where nothing is for the user alone."""
    return found.audience.split("/")[1] == Visibility.LOCAL


async def _close(context: Context, access: Access, note: Note) -> bool:
    """Make a note one for the user alone; returns whether it was not."""
    visibility = narrower_visibility(note.visibility, Visibility.USER_ONLY)
    if visibility is note.visibility:
        return False
    new = replace(note, visibility=visibility)
    given, after = await change_readers(context, access, note, new)
    await change_note(
        context, access, note, new, "VISIBILITY", "it holds a secret", after, properties=given
    )
    return True
