"""Which entities notes mention: those the writer names, their titles, and names known already."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.domain.ids import entity_id, name_key, uuid7
from graphmem.domain.notes import Note, NoteDraft
from graphmem.errors import Invalid
from graphmem.language.analysis import words
from graphmem.language.naming import (
    NameCandidate,
    NameMatch,
    find_names,
    is_cased,
    name_candidates,
    title_names,
)
from graphmem.services.context import Context
from graphmem.services.text_work import in_pieces
from graphmem.store import entities as store
from graphmem.store.graph import Row, Step

UNKNOWN_TYPE = "thing"
MOST_GIVEN = 20_000  # names that the writer gives with the notes of one call
_KEYS_AT_ONCE = 50_000  # names that the graph is asked for at once
_PHRASES_AT_FIRST, _PHRASES_AT_ONCE = 16, 128  # new names that older notes are searched for
_TEXTS_AT_ONCE = 4_000_000  # characters of older notes, about
_PHRASE_FIELDS = ("content", "title")


@dataclass(frozen=True)
class Written:
    """A new or changed note with what its writer gave."""

    note: Note
    draft: NoteDraft


@dataclass(frozen=True)
class _Given:
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
    known: Mapping[str, Row] = field(default_factory=dict)


async def look_up(context: Context, user: str, written: Sequence[Written]) -> LookedUp:
    """Look up the names of notes while it is still being decided what becomes of them."""
    texts = dict.fromkeys(_text(item.note) for item in written)
    given = await context.texts.each(_given_names, written, _size)
    names = _fresh_names(given)
    known = await _known(context, user, [*texts], names.keys())
    return LookedUp(frozenset(texts), frozenset(names), known)


async def _known(
    context: Context, user: str, texts: Sequence[str], names: Collection[str]
) -> dict[str, Row]:
    """What the graph knows of names and of whatever the texts may name. It is asked in parts, and
    no more than a part is held at a time."""
    known: dict[str, Row] = {}
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


def _fresh_names(given: Iterable[Sequence[_Given]]) -> dict[str, str]:
    """The names that come with notes, by their keys."""
    return {
        key: name
        for names in given
        for each in names
        for name in (each.name, *each.aliases)
        if (key := name_key(name))
    }


@dataclass(frozen=True)
class Mentioned:
    """What notes about to be written mention and say of entities, as rows of the graph."""

    mentions: list[Row] = field(default_factory=list)
    called: list[Row] = field(default_factory=list)  # other names that notes give
    covered: list[Row] = field(default_factory=list)  # mentions inside longer names, found now
    relations: list[Row] = field(default_factory=list)

    def steps(self, user: str, now: datetime) -> list[Step]:
        """The steps that write it."""
        steps = []
        if self.mentions:
            steps.append(
                store.mention_step(self.mentions, self.called, self.covered, user=user, now=now)
            )
        if self.relations:
            steps.append(store.relate_step(self.relations, user=user, now=now))
        return steps


async def mentioned(
    context: Context,
    user: str,
    written: Sequence[Written],
    looked_up: LookedUp | None = None,
) -> Mentioned:
    """What notes about to be written mention.

    Names known in the user's graph are found in the new texts, and names that are new with these
    notes are found in the texts that are there already: all that any reader may see of it. What a
    reader does see is decided when it is read, by the notes that introduce the names to it."""
    looked_up = looked_up or LookedUp()
    given = await context.texts.each(_given_names, written, _size)
    fresh = _fresh_names(given)
    texts = dict.fromkeys(_text(item.note) for item in written)
    more = [text for text in texts if text not in looked_up.texts]
    known = {
        **looked_up.known,
        **await _known(context, user, more, fresh.keys() - looked_up.names),
    }
    cased = {key: bool(row["cased"]) for key, row in known.items()}
    for key, name in fresh.items():
        cased[key] = cased.get(key, True) and is_cased(name)
    now = context.clock()

    def rows_of(pair: tuple[Written, Sequence[_Given]]) -> Mentioned:
        item, names = pair
        return _mentioned(user, item.note.id, names, name_candidates(_text(item.note)), cased, now)

    pairs = list(zip(written, given, strict=True))
    found = await context.texts.each(rows_of, pairs, lambda pair: _size(pair[0]))
    unseen = {
        key: name
        for key, name in fresh.items()
        if key not in known or (known[key]["cased"] and not cased[key])
    }
    found += await _in_older(context, user, unseen, [item.note.id for item in written])
    mentions = [row for each in found for row in each.mentions]
    return Mentioned(
        mentions=sorted(mentions, key=lambda row: (row["key"], row["noteId"])),  # order of locks
        called=[row for each in found for row in each.called],
        covered=[row for each in found for row in each.covered],
        relations=[row for item in written for row in _relation_rows(item)],
    )


def _size(item: Written) -> int:
    return len(item.note.content) + 100 * (len(item.draft.entities) + len(item.draft.relations))


def _text(note: Note) -> str:
    return f"{note.title}\n{note.content}" if note.title else note.content


def _given_names(item: Written) -> list[_Given]:
    draft = item.draft
    ends = {name_key(n) for r in draft.relations if not r.of_text for n in (r.subject, r.object)}
    names = [
        _Given(e.name, e.type, e.aliases, e.of_text and name_key(e.name) not in ends)
        for e in draft.entities
    ]
    named = {name_key(name) for each in names for name in (each.name, *each.aliases)}
    for relation in draft.relations:
        for name in (relation.subject, relation.object):
            if name_key(name) not in named:
                named.add(name_key(name))
                names.append(
                    _Given(name, None, (), relation.of_text and name_key(name) not in ends)
                )
    if draft.title and (titles := title_names(draft.title)) and name_key(titles[0]) not in named:
        names.append(_Given(titles[0], None, titles[1:]))
    return [each for each in names if name_key(each.name)]


def _mentioned(
    user: str,
    note: str,
    given: Sequence[_Given],
    found: Sequence[NameCandidate],
    cased: Mapping[str, bool],
    now: datetime,
) -> Mentioned:
    rows: dict[str, Row] = {}
    called: list[Row] = []
    for each in given:
        key = name_key(each.name)
        names = {name_key(name): name for name in (*reversed(each.aliases), each.name)}
        names = {other: names[other] for other in (key, *names) if other}
        row = _row(note, key, each.name, each.type, given=True, of_text=each.of_text)
        row |= {"keys": list(names), "names": list(dict.fromkeys((each.name, *each.aliases)))}
        if key not in rows or rows[key]["of"] is not None:
            rows[key] = row
        for other in [other for other in names if other != key]:
            row = _row(note, other, names[other], each.type, given=True, of_text=each.of_text)
            rows.setdefault(other, row | {"of": entity_id(user, key)})
            called.append(_called(note, key, other, each, now))
    for key, seen in find_names(found, cased).items():
        if key not in rows:
            rows[key] = _found_row(user, note, key, seen)
    return Mentioned(mentions=list(rows.values()), called=called)


def _row(
    note: str, key: str, name: str, kind: str | None, *, given: bool, of_text: bool = False
) -> Row:
    return {
        "noteId": note,
        "key": key,
        "name": name,
        "type": kind or UNKNOWN_TYPE,
        "cased": is_cased(name),
        "keys": [key],
        "names": [name],
        "count": 1,
        "given": given,
        "of": None,  # the entity of which a given name is another name
        "ofText": of_text or None,
        "plain": None,
        "within": None,
    }


def _found_row(user: str, note: str, key: str, seen: NameMatch) -> Row:
    return _row(note, key, seen.surface, None, given=False) | {
        "count": seen.count,
        "plain": seen.plain or None,
        "within": [entity_id(user, other) for other in seen.within] or None,
    }


def _called(note: str, key: str, other: str, each: _Given, now: datetime) -> Row:
    return {
        "id": uuid7(now),
        "noteId": note,
        "key": key,
        "other": other,
        "ofText": each.of_text or None,
    }


async def _in_older(
    context: Context, user: str, unseen: Mapping[str, str], written: Sequence[str]
) -> list[Mentioned]:
    """Mentions, in older notes, of names that nobody could find there before."""
    phrases = [(key, _phrases(key, name)) for key, name in sorted(unseen.items()) if words(key)]
    mentions: list[Mentioned] = []
    start, most = 0, _PHRASES_AT_FIRST
    while start < len(phrases):
        part = dict(phrases[start : start + most])
        rows = await store.texts_with(context.graph, user, part, written)
        mentions += await context.texts.each(
            lambda row: _older_mention(user, row, unseen[row["key"]]),
            rows,
            lambda row: len(row["content"]),
        )
        start += len(part)
        held = sum(len(row["content"]) for row in rows)
        most = min(2 * most, _PHRASES_AT_ONCE, max(most * _TEXTS_AT_ONCE // max(held, 1), 1))
    return mentions


def _older_mention(user: str, row: Row, name: str) -> Mentioned:
    """The mention of a new name in an older note whose text has its words."""
    key = row["key"]
    text = f"{row['title']}\n{row['content']}" if row["title"] else row["content"]
    found = find_names(
        name_candidates(text), dict.fromkeys(row["mentioned"], False) | {key: is_cased(name)}
    )
    if key not in found:
        return Mentioned()
    covered = [
        {"noteId": row["id"], "key": shorter, "by": entity_id(user, key)}
        for shorter, seen in found.items()
        if key in seen.within
    ]
    return Mentioned(mentions=[_found_row(user, row["id"], key, found[key])], covered=covered)


def _phrases(key: str, name: str) -> str:
    """The name as it was written and its key, which may differ word by word (GPT4, gpt 4)."""
    spellings = dict.fromkeys((key, " ".join(words(name)) or key))
    return " ".join(f'{field}:"{each}"' for each in spellings for field in _PHRASE_FIELDS)


def _relation_rows(item: Written) -> Iterable[Row]:
    for relation in item.draft.relations:
        subject, target = name_key(relation.subject), name_key(relation.object)
        if subject and target:
            yield {
                "noteId": item.note.id,
                "subjectKey": subject,
                "predicate": relation.predicate,
                "objectKey": target,
                "confidence": relation.confidence,
                "validFrom": relation.valid_from,
                "validTo": relation.valid_to,
                "ofText": relation.of_text or None,
            }
