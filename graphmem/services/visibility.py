"""Changing who may read: of one note, or of a domain by a rule."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from graphmem.domain.ids import check_domain
from graphmem.domain.visibility import Visibility, audience_of, narrower, rule_for
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context, require_in_person, user_audience
from graphmem.services.notes import move_steps, note_event, require_may_change, require_writer
from graphmem.services.reading import require_note
from graphmem.store.events import append_step, event_row
from graphmem.store.graph import Row
from graphmem.store.visibility import (
    Move,
    change_step,
    follow_step,
    notes_below,
    put_rule_step,
)

PAGE = 500
MAX_TOLD = 1000  # ids that an answer lists


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What a change of visibility did."""

    updated: int
    note_ids: tuple[str, ...]
    rule: tuple[str, Visibility] | None = None


async def set_note_visibility(
    context: Context, access: Access, note_id: str, visibility: Visibility
) -> Moved:
    """Give one readable note another visibility (DIFF-15 says who may)."""
    require_writer(access)
    note = await require_note(context, access, note_id)
    if note.visibility is visibility:
        return Moved(updated=0, note_ids=())
    require_may_change(access, note, visibility)
    now = context.clock()
    new = replace(note, visibility=visibility)
    event = note_event("VISIBILITY", "readers changed", new, access.viewer.actor, now)
    await context.graph.write(
        *move_steps(access, [(note, visibility)], now), append_step(note.user, [event])
    )
    context.signal(note.user)
    return Moved(updated=1, note_ids=(note.id,))


async def set_domain_visibility(
    context: Context, access: Access, domain: str, visibility: Visibility
) -> Moved:
    """Set the rule of a domain, and make it hold for the notes that are there: all of them when it
    takes readers away; when it adds some, those that the user did not decide upon one by one.
    Notes under a longer rule keep that one. For the user in person."""
    require_in_person(access, "a visibility rule")
    domain = check_domain(domain)
    user, now = access.viewer.user, context.clock()
    rules = {**access.rules, domain: visibility}
    event = event_row(
        "VISIBILITY",
        "visibility rule set",
        audience=user_audience(user),
        actor=access.viewer.actor,
        at=now,
        domain=domain,
        channel="state_change",
        data={"visibility": visibility},
    )
    rule = put_rule_step(user, domain, visibility, now)
    await context.graph.write(rule, append_step(user, [event]))
    changed: list[str] = []
    after = ""
    while rows := await notes_below(
        context.graph, user, domain, visibility, after=after, limit=PAGE
    ):
        after = rows[-1]["id"]
        moves = list(_moves(rows, user, domain, visibility, rules))
        if moves:
            await _apply(context, access, moves)
            changed += [move.note for move in moves]
    context.signal(user)
    return Moved(
        updated=len(changed), note_ids=tuple(changed[:MAX_TOLD]), rule=(domain, visibility)
    )


def _moves(
    rows: list[Row],
    user: str,
    domain: str,
    visibility: Visibility,
    rules: dict[str, Visibility],
) -> Iterator[Move]:
    for row in rows:
        old = Visibility(row["visibility"])
        longer = {d: v for d, v in rules.items() if len(d) > len(domain)}
        if rule_for(row["domain"], longer) is not None:
            continue
        if row["byUser"] and narrower(old, visibility) is old:
            continue
        yield Move(
            note=row["id"],
            audience=audience_of(user, visibility, row["domain"], row["author"]),
            changes={"visibility": [old, visibility]},
        )


async def _apply(context: Context, access: Access, moves: list[Move]) -> None:
    actor, now = access.viewer.actor, context.clock()
    events = [
        event_row(
            "VISIBILITY",
            "readers changed",
            audience=move.audience.key,
            actor=actor,
            at=now,
            subject_id=move.note,
            domain=move.audience.domain,
        )
        for move in moves
    ]
    await context.graph.write(
        change_step(moves, actor=actor, now=now),
        follow_step({move.note: move.audience for move in moves}),
        append_step(access.viewer.user, events),
    )


async def set_visibility(
    context: Context,
    access: Access,
    note_id: str | None,
    domain: str | None,
    visibility: Visibility,
) -> Moved:
    """Of one note by id, or of a domain."""
    if (note_id is None) == (domain is None):
        raise Invalid("give id or domain, one of the two")
    if note_id is not None:
        return await set_note_visibility(context, access, note_id, visibility)
    return await set_domain_visibility(context, access, domain or "", visibility)
