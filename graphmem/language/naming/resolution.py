"""Entity resolution: how likely two names mean one entity, and why. Pure, and about names first.

There are three bands. *Merge* is only for names of one key (`ids.name_key`): they have one
entity from the start, for every reader, whatever notes exist; and for names that are one by form
alone (`forms`), which are one for those who can read both (`alike`). *Ask* is a list for these,
too. The context of the entities (types, neighbours, nearness of the names) counts only here, so
that a note changes the list only for those who can read it. *Leave* is the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.domain.ids import name_key
from graphmem.language.naming.forms import forms_of
from graphmem.language.naming.name_parts import (
    NameParts,
    designators,
    edits,
    first_name,
    initials_of,
    numeronym_of,
    parts_of,
    same_word,
)

ASK: Final = 0.6
MOST_NAMES = 8  # names of an entity that are compared


class MatchDecision(StrEnum):
    """The decision on two names: to merge them, to ask, or to leave them."""

    MERGE = "MERGE"
    ASK = "ASK"
    LEAVE = "LEAVE"


@dataclass(frozen=True, kw_only=True)
class EntityRecord:
    """An entity as one reader knows it: its names, its type, the neighbouring entities."""

    names: tuple[str, ...]
    type: str = "thing"
    around: frozenset[str] = frozenset()


@dataclass(frozen=True)
class MatchScore:
    """The likelihood (0..1) that two things are one, and the reasons in words."""

    score: float
    reasons: tuple[str, ...] = ()
    same_form: bool = False

    @property
    def band(self) -> MatchDecision:
        """The decision about the two."""
        if self.same_form:
            return MatchDecision.MERGE
        return MatchDecision.ASK if self.score >= ASK else MatchDecision.LEAVE


_GROUPS: Final = MappingProxyType(
    {
        kind: group
        for group, kinds in {
            "person": "person people user",
            "organisation": "company organisation organization group team band institution",
            "place": "place city country location region street building",
            "made": "tool product language software model code project library service",
            "work": "book film show document work song paper",
            "event": "event meeting",
            "nature": "animal plant food season planet element game",
        }.items()
        for kind in kinds.split()
    }
)


def group_of(kind: str) -> str | None:
    """Return the group of a type: things of two groups are not one; None: any group."""
    return _GROUPS.get(kind)


_Formed = tuple[str, frozenset[str]]  # a name, its forms
_UNLIKE = MatchScore(0.0)
_BY_FORM = 0.95
_CONTEXT, _APART, _SAME_TYPE, _NEAR = 0.15, 0.1, 0.05, 0.1  # changes of a score by context
_NEAR_FROM, _ALIKE_FROM = 0.75, 0.93  # cosine of names that counts; that is enough to ask


def compare_entities(
    one: EntityRecord, other: EntityRecord, nearness: float | None = None
) -> MatchScore:
    """Compare two things; `nearness` is the cosine of their names' vectors, if it was computed.

    The best pair of names counts. Types that can't be of one thing rule it out; shared
    neighbours, equal types and near vectors add to it; neighbours with none in common take from
    it."""
    ours, theirs = ([(n, forms_of(n)) for n in t.names[:MOST_NAMES]] for t in (one, other))
    judged = [_compare_names(a, b) for a in ours for b in theirs]
    best = max(judged, key=lambda each: (each.same_form, each.score), default=_UNLIKE)
    if best.same_form:
        return best
    kinds = [_GROUPS.get(thing.type) for thing in (one, other)]
    if None not in kinds and kinds[0] != kinds[1]:
        return _UNLIKE
    return _adjust_by_context(best, one, other, nearness)


def _adjust_by_context(
    best: MatchScore, one: EntityRecord, other: EntityRecord, nearness: float | None
) -> MatchScore:
    score, reasons = best.score, list(best.reasons)
    if nearness is not None and nearness >= _ALIKE_FROM and not score and _may_mean_one(one, other):
        score, reasons = ASK - _SAME_TYPE, ["the names mean nearly the same"]
    if not score:
        return _UNLIKE
    if shared := len(one.around & other.around):
        score += _CONTEXT * min(shared, 2)
        reasons.append(f"{shared} shared neighbour{'s' if shared > 1 else ''}")
    elif one.around and other.around:
        score -= _APART
    if one.type == other.type and one.type in _GROUPS:
        score += _SAME_TYPE
        reasons.append(f"both of type {one.type}")
    if nearness is not None and nearness >= _NEAR_FROM and best.score:
        score += _NEAR
        reasons.append("near names")
    return MatchScore(round(min(max(score, 0.0), 0.99), 3), tuple(reasons))


def _may_mean_one(one: EntityRecord, other: EntityRecord) -> bool:
    """Check whether near names may mean one thing: not for people, nor members of a series."""
    return "person" not in (one.type, other.type) and all(
        designators(parts_of(a)) == designators(parts_of(b)) for a in one.names for b in other.names
    )


def _compare_names(one: _Formed, other: _Formed) -> MatchScore:
    if name_key(one[0]) == name_key(other[0]):
        return MatchScore(1.0, ("the same name",), same_form=True)
    found = _compare_words(parts_of(one[0]), parts_of(other[0]))
    if one[1].isdisjoint(other[1]):
        return found
    return MatchScore(_BY_FORM, ("one name in two forms", *found.reasons))


def _compare_words(a: NameParts, b: NameParts) -> MatchScore:
    if not (a.core and b.core):
        return _UNLIKE
    if (short := _match_short(a, b)).score or _are_marked_apart(a, b):
        return short
    rules = (_match_spelling, _match_order, _match_person, _match_part, _match_typo)
    return max((rule(a, b) for rule in rules), key=lambda each: each.score)


def _are_marked_apart(a: NameParts, b: NameParts) -> bool:
    """Check for parts that distinguish things.

    These are numbers, versions, Jr. and Sr., letters of a series, and two different legal forms
    or titles."""
    if designators(a) != designators(b):
        return True
    return any(x and y and x != y for x, y in ((a.legal, b.legal), (a.title, b.title)))


def _match_spelling(a: NameParts, b: NameParts) -> MatchScore:
    """Match the same words in another spelling.

    A legal form, a title, an article, abbreviations or spaces may differ."""
    if len(a.core) == len(b.core) and all(map(same_word, a.core, b.core)):
        if a.article != b.article and len(a.core) == 1 and not (a.legal or b.legal):
            return MatchScore(0.5, ("the same but for the article",))
        return MatchScore(0.8, ("the same but for a title, legal form or abbreviation",))
    if a.joined == b.joined:
        lone = any(len(word) == 1 and word != "s" for word in (*a.core[1:], *b.core[1:]))
        return (
            _UNLIKE
            if lone and not (a.acronym and b.acronym)
            else MatchScore(0.8, ("the same but for spaces",))
        )
    return _UNLIKE


def _match_short(a: NameParts, b: NameParts) -> MatchScore:
    """Match an acronym of the other, or its numeronym (k8s)."""
    for short, long in ((a, b), (b, a)):
        letters = short.joined.removesuffix("s") if short.plural_acronym else short.joined
        if len(long.core) > 1 and short.acronym and letters in initials_of(long):
            return MatchScore(0.7 if len(letters) > 2 else 0.62, ("one is the acronym",))
        if len(long.core) == 1 and short.joined == numeronym_of(long):
            return MatchScore(0.75, ("one is the numeronym",))
    return _UNLIKE


def _match_order(a: NameParts, b: NameParts) -> MatchScore:
    if len(a.core) > 1 and a.core != b.core and sorted(a.core) == sorted(b.core):
        comma = a.comma != b.comma
        return MatchScore(0.75 if comma else 0.4, ("the same words in another order",))
    return _UNLIKE


def _match_person(a: NameParts, b: NameParts) -> MatchScore:
    """Match first and last name of one person.

    The first name may be shortened, or a middle name added."""
    if min(len(a.core), len(b.core)) < 2 or a.core[-1] != b.core[-1]:
        return _UNLIKE
    one, other = a.core[0], b.core[0]
    if one == other and len(a.core) != len(b.core):
        short, long = sorted((a.core, b.core), key=len)
        if all(word in long for word in short):
            return MatchScore(0.6, ("a middle name more",))
    if len(a.core) != len(b.core) or a.core[1:] != b.core[1:]:
        return _UNLIKE
    if first_name(one) == first_name(other) != one or first_name(other) == one != other:
        return MatchScore(0.65, ("a short form of the first name",))
    if 1 in (len(one), len(other)) and one[0] == other[0]:
        return MatchScore(0.45, ("an initial",))
    return _UNLIKE


def _match_part(a: NameParts, b: NameParts) -> MatchScore:
    """Match the beginning or the end of the other: enough to ask only with shared context."""
    short, long = sorted((a.core, b.core), key=len)
    if len(short) == len(long):
        return _UNLIKE
    if long[: len(short)] == short or long[-len(short) :] == short:
        return MatchScore(0.4, ("one name is a part of the other",))
    return _UNLIKE


def _match_typo(a: NameParts, b: NameParts) -> MatchScore:
    """Match words except one that differs by a letter, by two in a long word, or is cut short."""
    if len(a.core) != len(b.core):
        return _UNLIKE
    apart = [(x, y) for x, y in zip(a.core, b.core, strict=True) if not same_word(x, y)]
    if len(apart) != 1:
        return _UNLIKE
    (one, other), shortest = apart[0], min(map(len, apart[0]))
    if not (one.isalpha() and other.isalpha()):
        return _UNLIKE
    steps = edits(one, other, most=2)
    if shortest >= 5 and one[0] == other[0] and (steps == 1 or (steps == 2 and shortest >= 9)):
        return MatchScore(_score_typo(one, other, a.core), ("a slip of the pen",))
    short, long = sorted((one, other), key=len)
    if short != long and shortest >= 6 and long.startswith(short) and len(short) >= 0.7 * len(long):
        return MatchScore(0.5, ("one is cut short",))
    return _UNLIKE


def _score_typo(one: str, other: str, words: Sequence[str]) -> float:
    """Score a typo.

    Names that end differently (Maria, Mario; model, models) are often two names."""
    short, long = sorted((one, other), key=len)
    ends_apart = one[:-1] == other[:-1] or long[:-1] == short
    return 0.5 if ends_apart else 0.6 + 0.05 * (len(words) > 1)
