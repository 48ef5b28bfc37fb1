"""Checks an LLM's suggestions about a note: only what the text of the note supports is accepted.

The LLM is not trusted: a note may instruct it, and it may invent things. So names must be in the
text, readers only become fewer, words are plain and bounded, and what the writer gave stays.
What does not pass is left out, and the rules' answer stays."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Final

from graphmem.domain.found import is_name
from graphmem.domain.ids import name_key
from graphmem.domain.notes import EntityDraft, Note, RelationDraft
from graphmem.domain.predicates import INVERSES, PREDICATES, in_one_direction
from graphmem.domain.visibility import Visibility, narrower_visibility
from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.naming.matching import is_cased, name_candidates
from graphmem.language.sentences import sentences
from graphmem.language.tokenizer import Tokens, tokens_in

TEXT_SEEN = 8_000  # characters of a note that an LLM reads; later names are not found
MAX_CONTEXT = 240  # characters
KEYWORDS = (3, 7)  # fewest, unless the rules found fewer; most
TAGS = (3, 5)
MAX_ENTITIES = 12
MAX_RELATIONS = 12
RELATION_CONFIDENCE = 0.7
_SHORTEST_SENTENCE = 4  # words; less is an abbreviation such as "Dr."
_PLAIN = re.compile(r"[^\W_][\w' -]{0,39}")
_INSIDE = re.compile(r"\w{4}[.!?…;:]\s")  # two sentences; three letters may be "Dr."
_OPENERS: Final = STOP_WORDS["sentences"]


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """An LLM's suggestion for a note; only its shape was checked."""

    context: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[EntityDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()
    importance: float | None = None
    visibility: Visibility | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeableFields:
    """The fields of a note that the LLM may change.

    They are not those decided by the writer, the user or a rule."""

    context: bool = True
    keywords: bool = True
    tags: bool = True
    importance: bool = True
    visibility: bool = True

    def after_a_change(self) -> "ChangeableFields":
        """Return the fields left after somebody changed the note, but not its text.

        They are those that only the text decides."""
        return ChangeableFields(
            context=False, keywords=self.keywords, tags=False, importance=False, visibility=False
        )


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """The changes to a note; None and empty for no change.

    Names are spelled as in the text; the ends of relations are names of entities that the LLM
    named too."""

    context: str | None = None
    keywords: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    importance: float | None = None
    visibility: Visibility | None = None
    entities: tuple[EntityDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the fields that change."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return tuple(name for name, value in given if value is not None and value != ())


def text_seen(note: Note) -> str:
    """Return the part of a note that an LLM reads, and that its words are checked against."""
    return (f"{note.title}\n{note.content}" if note.title else note.content)[:TEXT_SEEN]


def refine(note: Note, said: Suggestion, leave: ChangeableFields) -> Refinement:
    """Return what is accepted of the LLM's suggestion for a note that the rules made."""
    text = text_seen(note)
    entities = _check_entities(said.entities, text)
    context = _check_context(said.context, text) if leave.context else None
    keywords = _check_keywords(said.keywords, text, len(note.keywords)) if leave.keywords else None
    tags = _check_words(said.tags, TAGS, len(note.tags)) if leave.tags else None
    importance = _check_share(said.importance) if leave.importance else None
    return Refinement(
        context=None if context == note.context else context,
        keywords=None if keywords == note.keywords else keywords,
        tags=None if tags == note.tags else tags,
        importance=None if importance == note.importance else importance,
        visibility=_narrow(note.visibility, said.visibility) if leave.visibility else None,
        entities=entities,
        relations=_check_relations(said.relations, entities, text),
    )


def without_known(
    refinement: Refinement, names: Collection[str], relations: Collection[tuple[str, str, str]]
) -> Refinement:
    """Return the refinement without what the note already says.

    `names` are name keys of entities that it introduces, `relations` are (subject key,
    predicate, object key)."""
    return replace(
        refinement,
        entities=tuple(e for e in refinement.entities if name_key(e.name) not in names),
        relations=tuple(
            r
            for r in refinement.relations
            if (name_key(r.subject), r.predicate, name_key(r.object)) not in relations
        ),
    )


def _check_context(said: str, text: str) -> str | None:
    """Return the first sentence if it fits the text, else None.

    It must be short, consist mostly of the text's own words, and have no name or number that the
    text lacks."""
    sentence = _first_sentence(" ".join(unicodedata.normalize("NFC", said).split()))
    if not sentence or len(sentence) > MAX_CONTEXT or not sentence.isprintable():
        return None
    words = tokens_in(sentence, Tokens.RUN)
    known = frozenset((*name_key(text).split(), *map(name_key, tokens_in(text, Tokens.RUN))))
    for place, word in enumerate(words):
        opens = place == 0 and name_key(word) in _OPENERS
        if is_cased(word) and name_key(word) not in known and not opens:
            return None
    telling = [key for word in words if (key := name_key(word)) not in _OPENERS]
    own = [key for key in telling if key in known]
    return sentence if telling and 2 * len(own) >= len(telling) else None


def _first_sentence(text: str) -> str:
    sentence = ""
    for piece in sentences(text):
        sentence = f"{sentence} {piece}".strip()
        if len(sentence.split()) >= _SHORTEST_SENTENCE:
            break
    return sentence


def _check_keywords(said: Sequence[str], text: str, there: int) -> tuple[str, ...] | None:
    """Return the plain words that are in the text, or that a word of it begins with."""
    whole = f" {name_key(text)}"
    return _check_words([word for word in said if f" {name_key(word)}" in whole], KEYWORDS, there)


def _check_words(
    said: Sequence[str], bounds: tuple[int, int], there: int
) -> tuple[str, ...] | None:
    """Return the distinct plain words in lower case, None if there are fewer than required."""
    least, most = bounds
    plain = dict.fromkeys(
        word
        for each in said
        if _PLAIN.fullmatch(word := unicodedata.normalize("NFC", each).strip().lower())
    )
    return tuple(plain)[:most] if len(plain) >= max(1, min(least, there)) else None


def _check_share(said: float | None) -> float | None:
    if said is None or not (isfinite(said) and 0 <= said <= 1):
        return None
    return round(said, 2)


def _narrow(now: Visibility, said: Visibility | None) -> Visibility | None:
    """Return a visibility with fewer readers, or None for no change.

    Only the user sets USER_ONLY: no recall would find the note again, not even for the agent
    that wrote it."""
    if said is None or said is Visibility.USER_ONLY or narrower_visibility(now, said) is now:
        return None
    return said


def _check_entities(said: Sequence[EntityDraft], text: str) -> tuple[EntityDraft, ...]:
    """Return the names that are runs of the text's words, spelled as there, once each.

    No aliases, as an alias can make two things one."""
    surfaces: dict[str, str] = {}
    for run in name_candidates(text):
        if not _INSIDE.search(run.surface):
            surfaces.setdefault(run.key, run.surface)
    found: dict[str, EntityDraft] = {}
    for each in said:
        key = name_key(each.name)
        surface = surfaces.get(key)
        if surface is None or len(key) == 1 or not is_name(surface):
            continue
        if " " in key or is_cased(surface):
            found.setdefault(key, EntityDraft(name=surface, type=_check_type(each.type)))
    return tuple(found.values())[:MAX_ENTITIES]


def _check_type(said: str | None) -> str | None:
    word = (said or "").strip().lower()
    return word if _PLAIN.fullmatch(word) else None


def _check_relations(
    said: Sequence[RelationDraft], entities: Sequence[EntityDraft], text: str
) -> tuple[RelationDraft, ...]:
    """Return the relations of two accepted names by a word of the vocabulary or of the text."""
    names = {name_key(each.name): each.name for each in entities}
    found: dict[tuple[str, str, str], RelationDraft] = {}
    for each in said:
        subject, target = names.get(name_key(each.subject)), names.get(name_key(each.object))
        predicate = _check_predicate(each.predicate, names, text)
        if subject is None or target is None or predicate is None or subject == target:
            continue
        subject, predicate, target = in_one_direction(subject, predicate, target)
        draft = RelationDraft(
            subject=subject, predicate=predicate, object=target, confidence=RELATION_CONFIDENCE
        )
        found.setdefault((subject, predicate, target), draft)
    return tuple(found.values())[:MAX_RELATIONS]


def _check_predicate(said: str, names: Collection[str], text: str) -> str | None:
    key = name_key(said)
    word = key.replace(" ", "-")
    if word in PREDICATES or word in INVERSES:
        return word
    of_names = {part for name in names for part in name.split()}
    own = f" {key} " in f" {name_key(text)} " and of_names.isdisjoint(key.split())
    return key if own and _PLAIN.fullmatch(key) else None
