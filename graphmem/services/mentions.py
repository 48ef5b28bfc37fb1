"""Which entities notes mention: those the writer names, their titles, and names known already."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphmem.ai.analysis import words
from graphmem.domain.ids import name_key, uuid7
from graphmem.domain.names import Run, find_names, is_cased, runs, title_names
from graphmem.domain.notes import Note, NoteDraft
from graphmem.domain.visibility import owner_token
from graphmem.services.context import Context
from graphmem.store import entities as store
from graphmem.store.graph import Row

UNKNOWN_TYPE = "thing"
MOST_FOUND = 60  # mentions of known names that one note gets
_PHRASE_FIELD = "content"


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
    """Names that were looked up already, and what the graph knows of them."""

    asked: frozenset[str]
    known: Mapping[str, Row]


async def look_up(context: Context, user: str, written: Sequence[Written]) -> LookedUp:
    """Look up the names of notes while it is still being decided what becomes of them."""
    asked = {run.key for item in written for run in runs(_text(item.note))}
    asked |= _fresh_names({item.note.id: _given_names(item) for item in written}).keys()
    return LookedUp(frozenset(asked), await store.find_names(context.graph, user, sorted(asked)))


def _fresh_names(given: Mapping[str, Sequence[_Given]]) -> dict[str, str]:
    """The names that come with notes, by their keys."""
    return {
        key: name
        for names in given.values()
        for each in names
        for name in (each.name, *each.aliases)
        if (key := name_key(name))
    }


async def mention_rows(
    context: Context,
    user: str,
    written: Sequence[Written],
    looked_up: LookedUp | None = None,
) -> tuple[list[Row], list[Row]]:
    """The rows of mentions and of relations for notes about to be written.

    Names known in the user's graph are found in the new texts, and names that are new with these
    notes are found in the texts that are there already; what a reader may see of either is decided
    when it is read."""
    looked_up = looked_up or LookedUp(frozenset(), {})
    given = {item.note.id: _given_names(item) for item in written}
    texts = {item.note.id: runs(_text(item.note)) for item in written}
    fresh = _fresh_names(given)
    wanted = {run.key for found in texts.values() for run in found} | fresh.keys()
    more = sorted(wanted - looked_up.asked)
    known = {**looked_up.known, **await store.find_names(context.graph, user, more)}
    known = {key: row for key, row in known.items() if key in wanted}
    cased = {key: is_cased(name) for key, name in fresh.items()}
    cased |= {key: bool(row["cased"]) for key, row in known.items()}
    now = context.clock()
    rows: list[Row] = []
    for item in written:
        found = texts[item.note.id]
        rows += _rows(item.note.id, given[item.note.id], found, cased, known, now)
    new_keys = {key: name for key, name in fresh.items() if key not in known}
    rows += await _older_mentions(context, user, new_keys, [item.note.id for item in written])
    relations = [row for item in written for row in _relation_rows(item)]
    rows.sort(key=lambda row: not row["given"])  # what names things comes before what finds them
    return rows, relations


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


def _rows(
    note: str,
    given: Sequence[_Given],
    found: Sequence[Run],
    cased: Mapping[str, bool],
    known: Mapping[str, Row],
    now: object,
) -> list[Row]:
    rows = []
    taken: set[str] = set()
    for each in given:
        keys = [key for name in (each.name, *each.aliases) if (key := name_key(name))]
        taken.update(keys)
        row = _row(note, keys[0], each, keys, now, count=1)
        owners = {known[key]["id"] if key in known else key for key in keys}
        rows.append(row | {"apart": len(owners) > 1})
    for key, surfaces in list(find_names(found, cased).items())[:MOST_FOUND]:
        if key not in taken:
            seen = _Given(surfaces[0], None, ())
            rows.append(_row(note, key, seen, [key], now, count=len(surfaces), given=False))
    return rows


def _row(
    note: str,
    key: str,
    each: _Given,
    keys: Sequence[str],
    now: object,
    *,
    count: int,
    given: bool = True,
) -> Row:
    aliases = [{"key": name_key(alias), "name": alias} for alias in each.aliases if name_key(alias)]
    return {
        "noteId": note,
        "key": key,
        "entityId": uuid7(now),  # type: ignore[arg-type]
        "name": each.name,
        "type": each.type or UNKNOWN_TYPE,
        "cased": is_cased(each.name),
        "aliases": aliases,
        "keys": list(dict.fromkeys(keys)),
        "names": list(dict.fromkeys((each.name, *each.aliases))),
        "count": count,
        "given": given,
        "ofText": each.of_text or None,
    }


async def _older_mentions(
    context: Context, user: str, fresh: Mapping[str, str], written: Sequence[str]
) -> list[Row]:
    """Mentions, in older notes, of names that are new now."""
    token = owner_token(user)
    phrases = [
        {"key": key, "lucene": f"+audienceToken:{token}^0 +({_phrases(key, fresh[key])})"}
        for key in sorted(fresh)
        if words(key)
    ]
    rows = await store.texts_with(context.graph, user, phrases, written)
    now = context.clock()
    mentions = []
    for row in rows:
        text = f"{row['title']}\n{row['content']}" if row["title"] else row["content"]
        # A longer name that the note mentions already has the words of a shorter one inside it.
        known = dict.fromkeys(row["mentioned"], False) | {row["key"]: is_cased(fresh[row["key"]])}
        surfaces = find_names(runs(text), known).get(row["key"])
        if surfaces:
            seen = _Given(surfaces[0], None, ())
            mentions.append(
                _row(
                    row["id"], row["key"], seen, [row["key"]], now, count=len(surfaces), given=False
                )
            )
    return mentions


def _phrases(key: str, name: str) -> str:
    """The name as it was written and its key, which may differ word by word (GPT4, gpt 4)."""
    spellings = dict.fromkeys((key, " ".join(words(name)) or key))
    return " ".join(f'{_PHRASE_FIELD}:"{spelling}"' for spelling in spellings)


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
