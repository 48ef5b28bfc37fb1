"""Compression: episodes of a topic become part of the topic's note (TIER-8, TIER-9).

The episodes themselves stay until they are cleaned up.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from graphmem.domain.extraction import Extraction
from graphmem.domain.ids import name_key
from graphmem.domain.notes import MAX_TITLE, Kind, Note, NoteType, Tier
from graphmem.domain.visibility import Visibility
from graphmem.errors import Stale
from graphmem.language.topics import TopicLine, lines_of, read_topic, topic_text
from graphmem.services.context import Context
from graphmem.services.writing.change_set import differences, note_event
from graphmem.services.writing.construct import derive_note
from graphmem.services.writing.extraction import extract_note
from graphmem.services.writing.passages import passage_steps
from graphmem.services.writing.words import word_properties
from graphmem.store import consolidation
from graphmem.store import tiers as store
from graphmem.store.changes import change_step, create_step, unchanged_step
from graphmem.store.events import append_step
from graphmem.store.graph import Step
from graphmem.store.notes import load_notes
from graphmem.store.rows import ChangeRow, CreateRow, RevisionRow, note_properties
from graphmem.store.tiers import TierCandidate

MOVER: Final = store.MAKER
MOST_TAGS: Final = 5


async def compress(
    context: Context, found: Sequence[TierCandidate], now: datetime
) -> Sequence[TierCandidate]:
    """Add episodes of one audience and one topic to the topic's note, in one transaction.

    Returns those that were added. Raises Stale when one of them, or the topic's note, has changed.
    """
    first = found[0]
    topic = first.topic[:MAX_TITLE]
    known = await store.topics(context.graph, first.user, first.audience, [topic], now)
    ids = [note.id for note in found]
    loaded = await load_notes(context.graph, [*ids, *known.values()], [first.audience], now)
    if len(loaded) < len(ids) + len(known):
        raise Stale
    sources = [loaded[i] for i in ids]
    old = loaded[known[name_key(topic)]] if known else None
    new = await context.bulk_texts.run(
        lambda check: _topic_note(context, topic, old, sources, now, check)
    )
    steps = [unchanged_step(sources if old is None else [*sources, old])]
    steps += await _write_steps(context, old, new, now)
    tie = {"note": new.id, "sources": ids, "tellers": ids}
    steps.append(consolidation.derive_step([tie], maker=MOVER, now=now))
    kind, summary = ("CREATE", "note made of a topic") if old is None else ("APPEND", "topic grew")
    events = [note_event(kind, summary, new, MOVER, now, {"from": ids})]
    for source in sources:
        into = {"into": new.id}
        events.append(note_event("EDIT", "note compressed by topic", source, MOVER, now, into))
    await context.graph.write(*steps, append_step(first.user, events))
    context.signal(first.user)
    return found


def _topic_note(
    context: Context,
    topic: str,
    old: Note | None,
    sources: Sequence[Note],
    now: datetime,
    check: Callable[[], None],
) -> Note:
    def read(sentence: str) -> Extraction:
        check()
        return context.extractor(sentence, title=None, speaker=None, occurred_at=None, now=now)

    lines: list[TopicLine] = [] if old is None else read_topic(old.content)
    for source in sources:
        at = source.occurred_at or source.created_at
        spare = source is sources[-1] and not lines
        lines += lines_of(source.content, at, read, spare=spare)
    budget = context.ranking.tiered.t3_token_budget
    check()
    content = topic_text(lines, budget, context.embedder.count_tokens)
    check()
    tags = [tag for note in (*(() if old is None else (old,)), *sources) for tag in note.tags]
    bare = replace(
        old or _make_topic_note(context, sources[-1], now),
        content=content,
        title=topic if old is None else old.title,
        tags=tuple(dict.fromkeys(tags))[:MOST_TAGS],
        importance=max(note.importance for note in (old, *sources) if note is not None),
        confidence=max(note.confidence for note in (old, *sources) if note is not None),
    )
    said = extract_note(context.extractor, bare, now)
    return replace(bare, context=said.context, keywords=said.keywords)


def _make_topic_note(context: Context, source: Note, now: datetime) -> Note:
    """Return a note for the same readers as its source, with nothing else of the source."""
    own = source.visibility in (Visibility.PRIVATE, Visibility.LOCAL)
    return replace(
        derive_note(source, now),
        author=source.author if own else None,
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        tier=Tier.SHORT_TERM,
        half_life_hours=context.writing.half_life_hours,
    )


async def _write_steps(context: Context, old: Note | None, new: Note, now: datetime) -> list[Step]:
    vector = (await context.embedder.embed_documents([new.reading_text]))[0]
    words = await context.bulk_texts.run(lambda _: word_properties(new))
    parts = await passage_steps(context, [new], context.bulk_texts)
    if old is not None:
        names = ("content", "context", "keywords", "tags", "importance", "confidence")
        before, after = note_properties(old), note_properties(new)
        given = {name: after[name] for name in names if before[name] != after[name]}
        row = ChangeRow(
            id=old.id,
            version=old.version,
            audience=old.audience.key,
            given=given | words | {"curatedKey": None},
            revisions=[
                RevisionRow(
                    version=old.version + 1, content=new.content, changes=differences(old, new)
                )
            ],
            vector=vector,
        )
        return [change_step([row], user=new.user, agent=None, actor=MOVER, now=now), *parts]
    row = CreateRow(
        note=new,
        properties={
            **words,
            "coreMark": None,  # its sources have theirs
            "givenTags": [],
            "givenKeywords": [],
        },
        embedding=vector,
        revisions=[RevisionRow(version=1, content=new.content, changes={})],
    )
    return [create_step([row], user=new.user, actor=MOVER, now=now), *parts]
