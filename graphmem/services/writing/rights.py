"""Loads what `domain/rights` needs to decide about notes whose readers the user decided.

It decides what an agent may do to them. A user in person may do everything, and nothing is read for
that.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Final

from graphmem.domain.actors import (
    BY_FORGET,
    BY_REMEMBER,
    MANUAL,
    Agent,
    Viewer,
    actor_of,
)
from graphmem.domain.notes import Note
from graphmem.domain.rights import (
    Place,
    keeps_decision,
    place_of,
    why_not_copied,
    why_not_destroyed,
    why_not_moved,
)
from graphmem.domain.sharing import SharedDomain
from graphmem.domain.visibility import Audience, Reading, may_read, readable_keys
from graphmem.errors import Forbidden
from graphmem.language.text_features import text_key
from graphmem.services.context import Access, Context
from graphmem.services.writing.change_set import ChangeSet
from graphmem.store import rights as store
from graphmem.store.graph import Step

# Properties of a note that keeps what the user decided where it, or its text, was before.
CARRIED: Final[Mapping[str, object]] = MappingProxyType(
    {"visibilityByUser": True, "ruledElsewhere": True}
)


async def require_may_move(
    context: Context, access: Access, note: Note, new: Note
) -> dict[str, object]:
    """Check that the viewer may give a readable note the readers of `new`.

    Returns what its node keeps of the decision: an agent that takes a note out of the place where
    the user's rule decided takes the decision along. Raises Forbidden.
    """
    if access.viewer.agent is None or note.audience == new.audience:
        return {}
    marked = await is_marked(context, access, note)
    shares = await _shares(context, access)
    old = place_of(note.audience, access.rules, shares, marked=marked)
    to = place_of(new.audience, access.rules, shares)
    if (reason := why_not_moved(access.viewer, old, to)) is not None:
        raise Forbidden(reason)
    return dict(CARRIED) if keeps_decision(old, to) else {}


async def require_may_place(
    context: Context, access: Access, proposed: Audience, new: Audience
) -> None:
    """Raise Forbidden if an agent would commit a proposal to other readers than proposed.

    It is allowed where the user lets those read it.
    """
    if access.viewer.agent is None or proposed == new:
        return
    shares = await _shares(context, access)
    old, to = (place_of(each, access.rules, shares) for each in (proposed, new))
    _require_may_copy(access, [old], to)


async def decisions_of(context: Context, notes: Sequence[Note]) -> dict[str, object]:
    """Return the decisions of the user that a note made of several keeps on its node."""
    keys = sorted({note.audience.key for note in notes})
    found = await store.list_decided(context.graph, [note.id for note in notes], keys)
    marked = any(each.marked for each in found.values())
    ruled = any(each.ruled for each in found.values())
    by_hand = any(each.by_hand for each in found.values())
    flags = {"visibilityByUser": marked, "ruledElsewhere": ruled, "byHand": by_hand}
    return {name: True for name, is_so in flags.items() if is_so}


async def is_marked(context: Context, access: Access, note: Note) -> bool:
    """Return True if the user gave a readable note its visibility by hand."""
    decided = await store.list_decided(context.graph, [note.id], access.by_name)
    return note.id in decided and decided[note.id].marked


async def require_may_destroy(context: Context, access: Access, notes: Sequence[Note]) -> None:
    """Raise Forbidden when one of some readable notes is not the viewer's to destroy for good."""
    if access.viewer.agent is None or not notes:
        return
    decided = await store.list_decided(context.graph, [n.id for n in notes], access.by_name)
    for note in notes:
        by_hand = note.id in decided and decided[note.id].by_hand
        if (reason := why_not_destroyed(access.viewer, note, by_hand=by_hand)) is not None:
            raise Forbidden(reason)


async def list_protected(context: Context, access: Access, notes: Sequence[Note]) -> frozenset[str]:
    """Return the ids of those notes that the viewer may not destroy for good."""
    if access.viewer.agent is None or not notes:
        return frozenset()
    keys = sorted({note.audience.key for note in notes})
    decided = await store.list_decided(context.graph, [note.id for note in notes], keys)
    by_hand = {note.id for note in notes if note.id in decided and decided[note.id].by_hand}
    return frozenset(
        note.id for note in notes if note.pinned or note.load_bearing or note.id in by_hand
    )


async def require_may_lend(
    context: Context, access: Access, receiver: Agent, notes: Sequence[Note]
) -> None:
    """Raise Forbidden when an agent would lend a note to another one that a rule keeps it from.

    It is the rule of the note's domain, or of a domain that the note was in before.
    """
    if access.viewer.agent is None or not notes:
        return
    decided = await store.list_decided(context.graph, [n.id for n in notes], access.by_name)
    reader = Viewer(user=receiver.user, agent=receiver)
    for note in notes:
        ruled = note.id in decided and decided[note.id].ruled
        bounds = place_of(note.audience, access.rules, [], marked=ruled).bounds
        if not all(may_read(reader, bound, Reading.BY_NAME) for bound in bounds):
            raise Forbidden("a rule of the user keeps a note in its domain; only the user lends it")


async def require_may_restore(context: Context, access: Access, note: Note) -> list[Step]:
    """Raise Forbidden when an agent would restore a note that its user archived in person.

    A team that knows of the note would read it again. Returns the steps that make the write Stale
    where the user does so meanwhile, which changes no version of an archived note.
    """
    if access.viewer.agent is None or access.viewer.decided_by_user:
        return []
    decided = await store.list_decided(context.graph, [note.id], access.by_name)
    if note.id in decided and decided[note.id].put_away:
        raise Forbidden("only the user may restore a note that the user archived")
    return [store.not_put_away_step(note.id, context.clock())]


def put_away_by(viewer: Viewer, actor: str) -> str | None:
    """Return the actor to record on a note that is archived; None for the user in person.

    Only the user in person archives what teams know of the note, too. An agent's words and a job's
    verdict don't.
    """
    if viewer.agent is not None and not viewer.decided_by_user:
        return actor_of(viewer.agent.id)
    in_person = actor in (MANUAL, BY_FORGET, BY_REMEMBER)
    # an actor whose notes no job takes back as its own
    return None if in_person else f"{actor}/verdict"


@dataclass(frozen=True, kw_only=True)
class CopyCheck:
    """The result of checking texts that an agent is about to write, by the ids of their notes.

    `refused`: why some may not be written; `decided`: those that repeat a text whose readers the
    user decided.
    """

    refused: Mapping[str, str] = field(default_factory=dict)
    decided: frozenset[str] = frozenset()


Said = tuple[Note, Sequence[str]]  # a note that is about to be written, and its texts


async def check_copies(context: Context, access: Access, said: Sequence[Said]) -> CopyCheck:
    """Find notes that the viewer reads and whose texts it is about to write again.

    They say or said, word by word, the same. Each of them must allow the readers of the new note,
    unless one has just these. Only readable notes count, so that no refusal shows that there are
    others.
    """
    viewer = access.viewer
    if viewer.agent is None or viewer.decided_by_user:
        return CopyCheck()
    keys = {note.id: _copy_keys(texts) for note, texts in said}
    found = await _copies(context, access, sorted(set().union(*keys.values())))
    if not found:
        return CopyCheck()
    shares = await _shares(context, access)
    refused: dict[str, str] = {}
    decided: set[str] = set()
    for note, _ in said:
        to = place_of(note.audience, access.rules, shares)
        for copies in (found[key] for key in keys[note.id] if key in found):
            if any(each.shown and each.audience == note.audience for each in copies):
                continue  # those who will read the note can read its text already
            for each in copies:
                old = place_of(each.audience, access.rules, shares, marked=each.marked)
                if (reason := why_not_copied(viewer, old, to)) is not None:
                    refused[note.id] = reason
                if each.marked or keeps_decision(old, to):
                    decided.add(note.id)
    return CopyCheck(refused=refused, decided=frozenset(decided))


def texts_of(note: Note) -> list[str]:
    """Return all texts of a note that its readers read."""
    named = (note.content, note.title, note.speaker, note.episode)
    given = (text for text in named if text is not None)
    return [*given, *note.tags, *note.keywords, *strings_in(note.metadata)]


def strings_in(value: object) -> Iterator[str]:
    """Return the texts of a JSON value, at any depth."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case list() as items:
                waiting += items
            case dict() as fields:
                waiting += [*fields.keys(), *fields.values()]
            case _:
                pass


def _copy_keys(texts: Iterable[str]) -> list[str]:
    """Return the keys of those texts that are long enough to be copies.

    All of them: what one write may hold is bounded, and a text left out could be the copy.
    """
    keys = (text_key(text) for text in texts)
    return [key for key in keys if key is not None]


async def require_may_post(
    context: Context, access: Access, texts: Iterable[str], team: str
) -> None:
    """Raise Forbidden when an agent would post, word by word, what a note says that it reads.

    This applies where members of a team read the post with whom the user does not share that note.
    """
    for place in await _places_of(context, access, texts):
        if team not in place.teams:
            raise Forbidden("a note says this that the user does not share with the team")


async def require_may_say(
    context: Context, access: Access, texts: Iterable[str], readers: Audience
) -> None:
    """Raise Forbidden when an agent would repeat, word by word, a note that it reads.

    This applies where the words would get readers whom the user does not let read that note.
    """
    if places := await _places_of(context, access, texts):
        to = place_of(readers, access.rules, await _shares(context, access))
        _require_may_copy(access, places, to)


async def _places_of(context: Context, access: Access, texts: Iterable[str]) -> list[Place]:
    """Return the places of notes that the viewer reads and that say one of the texts, word by word.

    None for the user in person.
    """
    if access.viewer.agent is None:
        return []
    found = await _copies(context, access, _copy_keys(texts))
    if not found:
        return []
    shares = await _shares(context, access)
    return [
        place_of(each.audience, access.rules, shares, marked=each.marked)
        for each in chain.from_iterable(found.values())
    ]


def _require_may_copy(access: Access, places: Iterable[Place], to: Place) -> None:
    for old in places:
        if (reason := why_not_copied(access.viewer, old, to)) is not None:
            raise Forbidden(reason)


async def keep_decisions(context: Context, access: Access, changes: ChangeSet) -> ChangeSet:
    """Make new texts keep the decisions of the user about the same texts elsewhere.

    Raises Forbidden when one would get readers whom the user does not let read it.
    """
    said = [(n.note, texts_of(n.note)) for n in changes.notes.values() if n.has_new_text]
    found = await check_copies(context, access, said)
    for reason in found.refused.values():
        raise Forbidden(reason)
    marked = {
        i: replace(changes.notes[i], properties={**changes.notes[i].properties, **CARRIED})
        for i in found.decided
    }
    return replace(changes, notes={**changes.notes, **marked}) if marked else changes


async def _copies(
    context: Context, access: Access, text_keys: Sequence[str]
) -> Mapping[str, list[store.CopiedFrom]]:
    readable = readable_keys(access.viewer, access.audiences, Reading.EXPLICIT)
    viewer = access.viewer
    agent = viewer.agent.id if viewer.agent else ""
    rows = await store.list_copies(
        context.graph, viewer.user, text_keys, readable, agent=agent, now=context.clock()
    )
    found: dict[str, list[store.CopiedFrom]] = defaultdict(list)
    for row in rows:
        found[row.key].append(row)
    return found


async def _shares(context: Context, access: Access) -> list[SharedDomain]:
    return await store.list_own_shares(context.graph, access.viewer.user, context.clock())
