"""Finds the entities that notes mention: given by the writer, in titles, or known already."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphmem.domain.ids import entity_id, name_key, uuid7
from graphmem.domain.notes import Note, NoteDraft
from graphmem.errors import Invalid
from graphmem.language.analysis import words
from graphmem.language.extraction import title_names
from graphmem.language.naming import (
    NameCandidate,
    NameMatch,
    find_names,
    is_cased,
    name_candidates,
)
from graphmem.services.context import Context
from graphmem.services.text_work import in_pieces
from graphmem.store import entities as store
from graphmem.store.changes import Mentions
from graphmem.store.entities import EntityName, OlderText, SearchPhrase
from graphmem.store.rows import CalledRow, CoveredRow, MentionRow, RelationRow

UNKNOWN_TYPE = "thing"
MOST_GIVEN = 20_000  # names that the writer gives with the notes of one call
_KEYS_AT_ONCE = 50_000  # names that are looked up in the graph at once
_PHRASES_AT_FIRST, _PHRASES_AT_ONCE = 16, 128  # new names that older notes are searched for
_TEXTS_AT_ONCE = 4_000_000  # characters of older notes, about
_PHRASE_FIELDS = ("content", "title")


@dataclass(frozen=True)
class Written:
    """A new or changed note with what its writer gave."""

    note: Note
    draft: NoteDraft


@dataclass(frozen=True)
class _GivenName:
    """A name that comes with a note, and the other names of the same thing."""

    name: str
    type: str | None
    aliases: tuple[str, ...]
    of_text: bool = False


@dataclass(frozen=True)
class LookedUp:
    """Texts and names that were looked up already, and what the graph knows of their names."""

    texts: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    known: Mapping[str, EntityName] = field(default_factory=dict)
    older: Sequence[Mentions] = ()  # mentions of the names in existing notes; one name each


async def look_up(context: Context, user: str, written: Sequence[Written]) -> LookedUp:
    """Look up the names of notes while it is still being decided what becomes of them."""
    texts = dict.fromkeys(_titled_text(item.note) for item in written)
    given = await context.texts.each(_given_names, written, _size)
    names = _fresh_names(given)
    known, older = await asyncio.gather(
        _look_up_known(context, user, [*texts], names.keys()), _find_in_older(context, user, names)
    )
    return LookedUp(frozenset(texts), frozenset(names), known, older)


async def _look_up_known(
    context: Context, user: str, texts: Sequence[str], names: Collection[str]
) -> dict[str, EntityName]:
    """Look up names and whatever the texts may name in the graph.

    It is asked in parts, and no more than a part is held at a time.
    """
    known: dict[str, EntityName] = {}
    asked = set(names)
    for piece in in_pieces(texts, len):
        asked |= await context.texts.run(lambda _, piece=piece: _keys_of(piece))
        if len(asked) >= _KEYS_AT_ONCE:
            known |= await store.find_names(context.graph, user, sorted(asked))
            asked = set[str]()
    return known | await store.find_names(context.graph, user, sorted(asked))


def _keys_of(texts: Sequence[str]) -> set[str]:
    return {run.key for text in texts for run in name_candidates(text)}


def check_names(drafts: Iterable[NoteDraft]) -> None:
    """Raise Invalid when the writer gives too many names at once."""
    given = sum(
        2 * len(draft.relations) + sum(1 + len(each.aliases) for each in draft.entities)
        for draft in drafts
    )
    if given > MOST_GIVEN:
        raise Invalid(f"at most {MOST_GIVEN} names of entities at once")


def _fresh_names(given: Iterable[Sequence[_GivenName]]) -> dict[str, str]:
    """Return the names that come with notes, by their keys."""
    return {
        key: name
        for names in given
        for each in names
        for name in (each.name, *each.aliases)
        if (key := name_key(name))
    }


async def collect_mentions(
    context: Context,
    user: str,
    written: Sequence[Written],
    looked_up: LookedUp | None = None,
) -> Mentions:
    """Return what notes about to be written mention.

    Names known in the user's graph are found in the new texts, and names that are new with these
    notes are found in the existing texts: all that any reader may see of it. What a reader does see
    is decided when it is read, by the notes that introduce the names to it.
    """
    looked_up = looked_up or LookedUp()
    given = await context.texts.each(_given_names, written, _size)
    fresh = _fresh_names(given)
    texts = dict.fromkeys(_titled_text(item.note) for item in written)
    more = [text for text in texts if text not in looked_up.texts]
    known = {
        **looked_up.known,
        **await _look_up_known(context, user, more, fresh.keys() - looked_up.names),
    }
    cased = {key: each.cased for key, each in known.items()}
    for key, name in fresh.items():
        cased[key] = cased.get(key, True) and is_cased(name)
    now = context.clock()

    def rows_of(pair: tuple[Written, Sequence[_GivenName]]) -> Mentions:
        item, names = pair
        return _mention_rows(
            user, item.note.id, names, name_candidates(_titled_text(item.note)), cased, now
        )

    pairs = list(zip(written, given, strict=True))
    found = await context.texts.each(rows_of, pairs, lambda pair: _size(pair[0]))
    unseen = {
        key: name
        for key, name in fresh.items()
        if key not in known or (known[key].cased and not cased[key])
    }
    own = {item.note.id for item in written}
    fresh = {key: name for key, name in unseen.items() if key not in looked_up.names}
    older = [*looked_up.older, *await _find_in_older(context, user, fresh)]
    found += [
        each
        for each in older
        if each.mentions[0].key in unseen and each.mentions[0].note_id not in own
    ]
    mentions = [row for each in found for row in each.mentions]
    return Mentions(
        mentions=sorted(mentions, key=lambda row: (row.key, row.note_id)),  # the order of locks
        called=[row for each in found for row in each.called],
        covered=[row for each in found for row in each.covered],
        relations=[row for item in written for row in _relation_rows(item)],
    )


def _size(item: Written) -> int:
    return len(item.note.content) + 100 * (len(item.draft.entities) + len(item.draft.relations))


def _titled_text(note: Note) -> str:
    return f"{note.title}\n{note.content}" if note.title else note.content


def _given_names(item: Written) -> list[_GivenName]:
    draft = item.draft
    ends = {name_key(n) for r in draft.relations if not r.of_text for n in (r.subject, r.object)}
    names = [
        _GivenName(e.name, e.type, e.aliases, e.of_text and name_key(e.name) not in ends)
        for e in draft.entities
    ]
    named = {name_key(name) for each in names for name in (each.name, *each.aliases)}
    for relation in draft.relations:
        for name in (relation.subject, relation.object):
            if name_key(name) not in named:
                named.add(name_key(name))
                names.append(
                    _GivenName(name, None, (), relation.of_text and name_key(name) not in ends)
                )
    titles = title_names(draft.title, item.note.content) if draft.title else ()
    if titles and name_key(titles[0]) not in named:
        names.append(_GivenName(titles[0], None, titles[1:]))
    return [each for each in names if name_key(each.name)]


def _mention_rows(
    user: str,
    note: str,
    given: Sequence[_GivenName],
    found: Sequence[NameCandidate],
    cased: Mapping[str, bool],
    now: datetime,
) -> Mentions:
    rows: dict[str, MentionRow] = {}
    called: list[CalledRow] = []
    for each in given:
        key = name_key(each.name)
        names = {name_key(name): name for name in (*reversed(each.aliases), each.name)}
        names = {other: names[other] for other in (key, *names) if other}
        row = replace(
            _given_row(note, key, each.name, each),
            keys=list(names),
            names=list(dict.fromkeys((each.name, *each.aliases))),
        )
        if key not in rows or rows[key].of is not None:
            rows[key] = row
        for other in [other for other in names if other != key]:
            row = _given_row(note, other, names[other], each)
            rows.setdefault(other, replace(row, of=entity_id(user, key)))
            called.append(
                CalledRow(
                    id=uuid7(now),
                    note_id=note,
                    key=key,
                    other=other,
                    of_text=each.of_text or None,
                )
            )
    for key, seen in find_names(found, cased).items():
        if key not in rows:
            rows[key] = _found_row(user, note, key, seen)
    return Mentions(mentions=list(rows.values()), called=called)


def _given_row(note: str, key: str, name: str, given: _GivenName) -> MentionRow:
    return MentionRow(
        note_id=note,
        key=key,
        name=name,
        type=given.type or UNKNOWN_TYPE,
        cased=is_cased(name),
        keys=[key],
        names=[name],
        given=True,
        of_text=given.of_text or None,
    )


def _found_row(user: str, note: str, key: str, seen: NameMatch) -> MentionRow:
    return MentionRow(
        note_id=note,
        key=key,
        name=seen.surface,
        type=UNKNOWN_TYPE,
        cased=is_cased(seen.surface),
        keys=[key],
        names=[seen.surface],
        count=seen.count,
        given=False,
        plain=seen.plain or None,
        within=[entity_id(user, other) for other in seen.within] or None,
    )


async def _find_in_older(context: Context, user: str, names: Mapping[str, str]) -> list[Mentions]:
    """Return mentions, in older notes, of those names that nobody could find there before."""
    phrases = [
        SearchPhrase(key, _lucene_query(key, name), is_cased(name))
        for key, name in sorted(names.items())
        if words(key)
    ]
    found: list[Mentions] = []
    start, most = 0, _PHRASES_AT_FIRST
    while start < len(phrases):
        part = phrases[start : start + most]
        texts = await store.texts_with(context.graph, user, part)
        mentions = await context.texts.each(
            lambda older: _older_mention(user, older, names[older.key]),
            texts,
            lambda older: len(older.content),
        )
        found += [each for each in mentions if each]
        start += len(part)
        size = sum(len(older.content) for older in texts)
        most = min(2 * most, _PHRASES_AT_ONCE, max(most * _TEXTS_AT_ONCE // max(size, 1), 1))
    return found


def _older_mention(user: str, older: OlderText, name: str) -> Mentions:
    """Return the mention of a new name in an older note whose text has its words."""
    key = older.key
    text = f"{older.title}\n{older.content}" if older.title else older.content
    found = find_names(
        name_candidates(text), dict.fromkeys(older.mentioned, False) | {key: is_cased(name)}
    )
    if key not in found:
        return Mentions()
    covered = [
        CoveredRow(note_id=older.note, key=shorter, by=entity_id(user, key))
        for shorter, seen in found.items()
        if key in seen.within
    ]
    return Mentions(mentions=[_found_row(user, older.note, key, found[key])], covered=covered)


def _lucene_query(key: str, name: str) -> str:
    """Return a query for the name as written and its key, which may differ (GPT4, gpt 4)."""
    spellings = dict.fromkeys((key, " ".join(words(name)) or key))
    return " ".join(f'{field}:"{each}"' for each in spellings for field in _PHRASE_FIELDS)


def _relation_rows(item: Written) -> Iterable[RelationRow]:
    for relation in item.draft.relations:
        subject, target = name_key(relation.subject), name_key(relation.object)
        if subject and target:
            yield RelationRow(
                note_id=item.note.id,
                subject_key=subject,
                predicate=relation.predicate,
                object_key=target,
                confidence=relation.confidence,
                valid_from=relation.valid_from,
                valid_to=relation.valid_to,
                of_text=relation.of_text or None,
            )
