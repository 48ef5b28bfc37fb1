"""What was put away long ago is destroyed on request, and nothing else."""

from datetime import timedelta
from typing import Any

from shared_server import new_user

from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.events import list_events
from graphmem.services.forgetting.clearing import Cleared, purge_old
from graphmem.services.forgetting.forgetting import forget
from graphmem.services.reading.notes import load_many
from graphmem.services.sessions.remembering import remember

FORGET: dict[str, Any] = {"query": None, "confirm": True, "permanent": False, "reason": None}


async def say(context: Context, access: Access, content: str, **given: Any) -> str:
    done = await remember(context, access, NoteDraft(content=content, **given), WriteMode.VERBATIM)
    assert done.note is not None
    return done.note.id


async def test_only_what_was_put_away_before_the_instant_is_destroyed(context: Context) -> None:
    user = new_user()
    access = await open_access(context, user, None, register=True)
    day = timedelta(days=1)
    kept = await say(context, access, "The kiln is in Ulm.")
    gone = await say(context, access, "The lathe is in Bonn.")
    expired = await say(context, access, "The press is in Kiel.", ttl_seconds=1)
    access = await open_access(context, user, None)
    await forget(context, access, note_id=gone, **FORGET)
    now = context.clock()
    assert await purge_old(context, now - day, user=user) == Cleared(found=0, purged=0)
    later = now + day
    dry = await purge_old(context, later, user=user, dry_run=True)
    assert dry == Cleared(found=2, purged=0)
    assert set(await load_many(context, access, [kept, gone])) == {kept, gone}
    assert await purge_old(context, later, user=user) == Cleared(found=2, purged=2)
    assert set(await load_many(context, access, [kept, gone, expired])) == {kept}
    asked: dict[str, Any] = {"after": 0, "actor": "system:purge", "types": ["DELETE"]}
    asked |= {"subject_id": None, "since": None, "until": None, "first": 9}
    events = await list_events(context, access, **asked)
    assert {event.subject_id for event in events} == {gone, expired}
    assert await purge_old(context, later, user=user) == Cleared(found=0, purged=0)
