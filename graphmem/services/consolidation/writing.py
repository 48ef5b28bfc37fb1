"""Writes summaries: each with its sources in one transaction, or not at all."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from graphmem.domain.consolidation import SHORTER, LlmSummary, NearbyKnowledge
from graphmem.domain.ids import uuid7
from graphmem.domain.linking import Connection, Facets, connect
from graphmem.domain.notes import Note, Status
from graphmem.services.consolidation.summaries import Summary
from graphmem.services.context import Access, Context, events_step
from graphmem.services.writing.change_set import note_event
from graphmem.services.writing.passages import passage_steps
from graphmem.services.writing.words import word_properties
from graphmem.store import consolidation as store
from graphmem.store import links, notes
from graphmem.store.changes import change_step, create_step, unchanged_step
from graphmem.store.graph import Step
from graphmem.store.refining import spend_step
from graphmem.store.rows import ChangeRow, CreateRow, EventRow, LinkRow, RevisionRow

MAKER: Final = "system:consolidation"  # actor of ties; no id has a colon
NEAR: Final = 10  # notes of knowledge that a summary may be linked to
ABOUT: Final = "about the same"


async def write_summaries(
    context: Context, access: Access, made: Sequence[Summary], now: datetime
) -> int:
    """Write summaries of one audience and change their sources; returns the number of new links.

    A source that a summary captures is archived, the half-life of the others is halved. Raises
    Stale when a source has changed.
    """
    vectors = dict(
        zip(
            [each.note.id for each in made],
            await context.embedder.embed_documents([each.note.reading_text for each in made]),
            strict=True,
        )
    )
    near = await store.find_near_knowledge(
        context.graph,
        made[0].note.audience.key,
        vectors,
        similarity=context.consolidation.similarity,
        now=now,
        limit=NEAR,
    )
    joined = {each.note.id: _links(each, near.get(each.note.id, ())) for each in made}
    steps = _source_steps(access, made, now)
    steps += await _create_steps(context, access, made, vectors, now)
    if rows := [row for found in joined.values() for row in _link_rows(found, now)]:
        actor = access.viewer.actor
        steps.append(links.create_many_step(rows, user=made[0].note.user, actor=actor, now=now))
    steps += [_cost_step(each.note.id, each.saying) for each in made if each.saying]
    events = [row for each in made for row in _events(access, each, joined[each.note.id], now)]
    await context.graph.write(*steps, events_step(access, events))
    context.signal(made[0].note.user)
    return len(rows)


def _cost_step(note: str, saying: LlmSummary) -> Step:
    return spend_step(
        note,
        model=saying.model,
        calls=saying.calls,
        tokens_in=saying.tokens_in,
        tokens_out=saying.tokens_out,
        cost=saying.cost,
    )


def _source_steps(access: Access, made: Sequence[Summary], now: datetime) -> list[Step]:
    """Return the steps that lock the sources before anything else and check their versions."""
    steps = [unchanged_step(note for each in made for note in each.sources)]
    gone = [(note, each) for each in made for note in each.captured]
    if gone:
        rows = [_archive_row(note, each) for note, each in gone]
        viewer = access.viewer
        agent = viewer.agent.id if viewer.agent else None
        steps.append(change_step(rows, user=viewer.user, agent=agent, actor=viewer.actor, now=now))
    archived = {note.id for note, _ in gone}
    kept = {note.id: () for each in made for note in each.sources if note.id not in archived}
    if kept:
        steps.append(notes.reinforce_step(kept, SHORTER))
    return steps


def _archive_row(note: Note, made: Summary) -> ChangeRow:
    changes = {"status": [note.status, Status.ARCHIVED], "into": made.note.id}
    return ChangeRow(
        id=note.id,
        version=note.version,
        audience=note.audience.key,
        given={"status": Status.ARCHIVED, "curatedKey": None, "archivedBy": MAKER},
        revisions=[RevisionRow(version=note.version + 1, changes=changes)],
    )


async def _create_steps(
    context: Context,
    access: Access,
    made: Sequence[Summary],
    vectors: Mapping[str, Sequence[float]],
    now: datetime,
) -> list[Step]:
    words = await context.texts.each(word_properties, [each.note for each in made])
    rows = [
        CreateRow(
            note=each.note,
            properties={
                **kept,
                "coreMark": None,  # its sources have theirs
                "givenTags": [],
                "givenKeywords": [],
            },
            embedding=vectors[each.note.id],
            revisions=[RevisionRow(version=1, content=each.note.content, changes={})],
        )
        for each, kept in zip(made, words, strict=True)
    ]
    user, actor = made[0].note.user, access.viewer.actor
    created = create_step(rows, user=user, actor=actor, now=now)
    parts = await passage_steps(context, [each.note for each in made])
    ties = [
        {
            "note": each.note.id,
            "sources": [note.id for note in each.sources],
            "tellers": list(each.tellers),
        }
        for each in made
    ]
    return [created, *parts, store.derive_step(ties, maker=MAKER, now=now)]


def _links(made: Summary, near: Sequence[NearbyKnowledge]) -> list[tuple[str, str, Connection]]:
    """Return links from a summary to existing knowledge about the same."""
    own = Facets(made.note.keywords, made.note.tags, ())
    found = []
    for other in near:
        link = connect(own, Facets(other.keywords, other.tags, ()), other.similarity)
        link = link or Connection("same-topic", round(0.5 * other.similarity, 3), ABOUT, ())
        found.append((made.note.id, other.id, link))
    return found


def _link_rows(found: Sequence[tuple[str, str, Connection]], now: datetime) -> list[LinkRow]:
    # ids that are sorted, so that equal links are listed in one order
    ids = sorted(uuid7(now) for _ in found)
    return [
        LinkRow(
            id=link_id,
            source=source,
            target=target,
            kind=link.kind,
            strength=link.strength,
            reason=link.reason,
        )
        for link_id, (source, target, link) in zip(ids, found, strict=True)
    ]


def _events(
    access: Access, made: Summary, joined: Sequence[tuple[str, str, Connection]], now: datetime
) -> list[EventRow]:
    actor, note = access.viewer.actor, made.note
    data = {"kind": note.kind, "type": note.type, "from": [each.id for each in made.sources]}
    rows = [note_event("CREATE", "note made of episodes", note, actor, now, data)]
    for each in made.captured:
        into = {"into": note.id}
        rows.append(note_event("ARCHIVE", "note became part of a summary", each, actor, now, into))
    if joined:
        others = {"to": [other for _, other, _ in joined]}
        rows.append(note_event("LINK", "note linked", note, actor, now, others))
    return rows
