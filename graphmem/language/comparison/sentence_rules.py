"""Compares two sentences.

Each rule knows one way in which a sentence says the same as another, says more, or replaces it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

from graphmem.language.comparison import vocabulary as w
from graphmem.language.comparison.statements import Statement


class TextVerdict(Enum):
    """The relation of a new text to an old one."""

    SAME = auto()  # the old one says it already
    EXTENDS = auto()  # it says what the old one says, and more
    REPLACES = auto()  # it says what is true instead, from now on
    CONTRADICTS = auto()  # both can't be true, and nothing shows which one is
    DIFFERENT = auto()
    UNCLEAR = auto()


@dataclass(frozen=True)
class Comparison:
    """A verdict with its reason in words."""

    verdict: TextVerdict
    reason: str


_Part = TypeVar("_Part", bound=tuple[Any, ...])  # a block or a time of a statement
Slot = tuple[str, str, str]  # where (subject, core, block, time), the old words, the new words


def compare_sentences(old: Statement, new: Statement) -> Comparison:
    """Return the relation of one sentence to another."""
    for rule in () if _nothing_shared(old, new) else _RULES:
        found = rule(old, new)
        if found is not None:
            return found
    return Comparison(TextVerdict.DIFFERENT, "another statement")


def _nothing_shared(old: Statement, new: Statement) -> bool:
    """Check whether no rule applies, since each needs a word of the core in both sentences.

    Most pairs of sentences of two texts are such. A sentence that begins with its copula, or has
    no core, is left to the rules."""
    if not (old.core and new.core) or old.be_at == 0:
        return False
    return old.core_words.isdisjoint(new.core_words)


def _compare_frames(old: Statement, new: Statement) -> Comparison | None:
    if not (old.frame == new.frame or old.turned == new.frame or new.turned == old.frame):
        return None
    if not (old.marks <= new.literal and new.marks <= old.literal):
        return Comparison(TextVerdict.DIFFERENT, "another name or number")
    if (old.negative is None) == (new.negative is None):
        if _has_same_scope(old, new):
            return Comparison(TextVerdict.SAME, "says the same in other words")
        return Comparison(TextVerdict.UNCLEAR, "the negation stands elsewhere")
    if new.ended or new.now:
        return Comparison(TextVerdict.REPLACES, "it is no longer so")
    return Comparison(TextVerdict.CONTRADICTS, "one says what the other denies")


def _has_same_scope(old: Statement, new: Statement) -> bool:
    """Check whether two negations have the same scope.

    "Not all are in sync" and "all are not in sync" differ; "not to eat" and "never to eat" do
    not."""
    one, other = old.negative, new.negative
    return one is None or other is None or (abs(one - other) <= 1 and (one == 0) == (other == 0))


def _detect_change(old: Statement, new: Statement) -> Comparison | None:
    """Recognise a change: moved, switched, rose ... (from A) to B."""
    verb = next((i for i, word in enumerate(new.core) if word in w.CHANGES), None)
    to = next((words for _, marker, words in new.blocks if marker == "to"), None)
    day = next((value for _, marker, value in new.times if marker == "to"), None)
    if not verb or (to is None and day is None) or new.negative is not None or new.modals:
        return None
    subject = new.core[:verb]
    if old.core[: len(subject)] != subject or _subject_blocks(old) != _subject_blocks(new):
        return None
    rest = old.core[len(subject) :]
    if day is not None:
        days = [value for region, marker, value in old.times if region == "p" and not marker]
        fits = len(days) == 1 and days[0] != day
    else:
        fits = _is_changed_value(old, new, rest, to or ())
    return (
        Comparison(TextVerdict.REPLACES, f"{' '.join(subject)}: it has changed") if fits else None
    )


def _subject_blocks(one: Statement) -> list[object]:
    """Return the blocks that belong to the subject: for Halden."""
    return [block for block in one.blocks if block[0] == "s"]


def _is_changed_value(
    old: Statement, new: Statement, rest: tuple[str, ...], to: tuple[str, ...]
) -> bool:
    origin = next((words for _, marker, words in new.blocks if marker == "from"), None)
    place = [(marker, words) for _, marker, words in old.blocks if marker in ("in", "at", "on")]
    values = (*rest, *(word for _, words in place for word in words))
    if origin is not None:
        others = {b[1:] for b in new.blocks if b[1] not in ("from", "to")}
        there = {b[1:] for b in old.blocks if b[0] == "p"}
        within = all(word in {*values, *old.words} for word in origin)
        return within and others <= there and (there - others == set() or not rest)
    if new.times:
        return False
    if any(word[:1].isdigit() for word in to):
        units = {word for word in to if not word[:1].isdigit()}
        numbers = [word for word in values if word[:1].isdigit()]
        return len(numbers) == 1 and numbers[0] not in to and units <= set(values)
    return len(place) == 1 and place[0][1] != to and not (set(rest) - {"live", "stand"})


def _detect_move(old: Statement, new: Statement) -> Comparison | None:
    """Recognise that somebody lives, or works, in another place than before."""
    for place_of in (_find_home, _find_workplace):
        one, other = place_of(old), place_of(new)
        if one is None or other is None or one[0] != other[0] or one[1] == other[1]:
            continue
        was, now = " ".join(one[1]), " ".join(other[1])
        return Comparison(TextVerdict.REPLACES, f"{was} before, {now} now")
    return None


def _find_home(one: Statement) -> tuple[str, tuple[str, ...]] | None:
    """Return who lives where: lives in Berlin, moved to Berlin."""
    if len(one.core) != 2 or len(one.blocks) != 1 or not _is_plain(one):
        return None
    (who, verb), (_, marker, place) = one.core, one.blocks[0]
    lives = verb == "live" and marker == "in" and not one.past
    moved = verb in ("move", "relocate") and marker == "to"
    return (who, place) if lives or moved else None


def _find_workplace(one: Statement) -> tuple[str, tuple[str, ...]] | None:
    """Return who works where: works at Acme, joined Acme."""
    if len(one.core) == 3 and one.core[1] == "join" and not one.blocks and _is_plain(one):
        return one.core[0], one.core[2:]
    if len(one.core) != 2 or one.core[1] != "work" or len(one.blocks) != 1 or one.past:
        return None
    _, marker, place = one.blocks[0]
    return (one.core[0], place) if marker == "at" and _is_plain(one) else None


def _is_plain(one: Statement) -> bool:
    return not (one.times or one.modals or one.ended) and one.negative is None


def _detect_state(old: Statement, new: Statement) -> Comparison | None:
    """Recognise another state: a thing is open or closed, pending or approved at a time."""
    if len(old.core) < 2 or old.core[:-1] != new.core[:-1] or len(old.core) != len(new.core):
        return None
    if old.blocks != new.blocks or old.times != new.times or old.modals != new.modals:
        return None
    if {old.negative, new.negative} != {None} or (old.be_at is None and new.be_at is None):
        return None
    if old.past:
        return None  # the past is a story, not a state
    one, other = old.core[-1], new.core[-1]
    group = next((group for group in w.STATES if one in group and other in group), None)
    if one == other or group is None:
        return None
    return Comparison(TextVerdict.REPLACES, f"{one} before, {other} now")


def _detect_details(old: Statement, new: Statement) -> Comparison | None:
    """Recognise that one says what the other says, and more."""
    if old.modals or old.modals != new.modals or old.past != new.past:
        return None
    if old.negative is not None or new.negative is not None or new.ended or old.ended:
        return None
    if old.marks <= new.literal and _contains_all(new, old):
        return Comparison(TextVerdict.EXTENDS, "says the same, and more")
    if new.marks <= old.literal and _contains_all(old, new):
        return Comparison(TextVerdict.SAME, "it is told already, in more detail")
    return None


def _contains_all(more: Statement, less: Statement) -> bool:
    """Check whether the sentences differ only in non-restrictive details."""
    if more.core[: len(less.core)] != less.core or more.be_at != less.be_at or not less.core:
        return False
    if Counter(less.times) - Counter(more.times):
        return False
    words = more.core[len(less.core) :]
    blocks = list((Counter(more.blocks) - Counter(less.blocks)).elements())
    for block in (Counter(less.blocks) - Counter(more.blocks)).elements():
        longer = next((each for each in blocks if _continues(each, block)), None)
        if longer is None:
            return False
        blocks.remove(longer)
    times = list((Counter(more.times) - Counter(less.times)).elements())
    extra = {*words, *(word for _, marker, inner in blocks for word in (marker, *inner))}
    if extra & w.RESTRICTING or {"always", "only", "every", "all"} & {*less.core, *extra}:
        return False
    if any(region == "s" for region, *_ in (*blocks, *times)) or (words and words[0] == "of"):
        return False
    if times and not more.past:
        return False
    quality = less.be_at is not None and not less.noun and less.be_at < len(less.core)
    return not quality or (not blocks and not times and words[:1] == ("and",))


def _continues(
    longer: tuple[str, str, tuple[str, ...]], block: tuple[str, str, tuple[str, ...]]
) -> bool:
    """Check whether a block continues another one: for scripting, for scripting and analysis."""
    size = len(block[2])
    return longer[:2] == block[:2] and longer[2][: size + 1] == (*block[2], "and")


def _compare_one_slot(old: Statement, new: Statement) -> Comparison | None:
    """Compare sentences that differ in one place."""
    slot = _find_slot(old, new)
    if slot is None or (old.negative is None) != (new.negative is None) or new.ended:
        return _detect_exchange(old, new)
    where, one, other = slot
    if where == "subject":
        return _detect_other_owner(old, new)
    if old.modals != new.modals:
        return None
    reason = f"{one} before, {other} now"
    if _are_opposites(one, other):
        return Comparison(
            TextVerdict.REPLACES if new.now else TextVerdict.CONTRADICTS,
            f"{one} against {other}",
        )
    if new.now and old.past == new.past:
        return Comparison(TextVerdict.REPLACES, reason)
    if _is_single_valued(old, slot) and not (old.past or new.past):
        return Comparison(TextVerdict.REPLACES, reason)
    day = where == "time" and not {one, other} & w.SEASONS
    value = day or (one[:1].isdigit() and other[:1].isdigit())
    if value and old.past == new.past and _is_lasting(old) and not _is_in_address(old, one):
        return Comparison(TextVerdict.CONTRADICTS, f"{one} against {other}")
    return None


def _is_in_address(old: Statement, slot: str) -> bool:
    """Check whether a number precedes a name and is part of it: 14 Orchard Street."""
    numbers = {word for word in slot.split() if word[:1].isdigit()}
    runs = (old.core, *(words for _, _, words in old.blocks))
    return any(
        words[i] in numbers and any(len(w) > 3 and w in old.marks for w in words[i + 1 : i + 3])
        for words in runs
        for i in range(len(words))
    )


def _is_lasting(old: Statement) -> bool:
    return not old.past or bool(w.UNIQUE_EVENTS & set(old.core))


def _find_slot(old: Statement, new: Statement) -> Slot | None:
    """Return the one place in which they differ; None if there is none or more than one."""
    if (old.be_at is None) != (new.be_at is None):
        return None
    if len(old.blocks) != len(new.blocks) or len(old.times) != len(new.times):
        return None
    blocks = _pair_differences(old.blocks, new.blocks)
    times = _pair_differences(old.times, new.times)
    if blocks is None or times is None:
        return None
    found = [] if old.core == new.core else [_find_core_slot(old, new)]
    found += [
        ("block" if a[0] == "p" else "subject", " ".join(a[2]), " ".join(b[2])) for a, b in blocks
    ]
    found += [("time" if a[0] == "p" else "subject", a[2], b[2]) for a, b in times]
    return found[0] if len(found) == 1 else None


def _find_core_slot(old: Statement, new: Statement) -> Slot:
    start = 0
    shorter = min(len(old.core), len(new.core))
    while start < shorter and old.core[start] == new.core[start]:
        start += 1
    end = 0
    while end < shorter - start and old.core[-1 - end] == new.core[-1 - end]:
        end += 1
    one = " ".join(old.core[start : len(old.core) - end])
    other = " ".join(new.core[start : len(new.core) - end])
    limit = 2 if old.be_at is None else old.be_at
    return ("subject" if start < limit else "core", one, other)


def _pair_differences(
    old: Sequence[_Part], new: Sequence[_Part]
) -> list[tuple[_Part, _Part]] | None:
    """Pair the parts that only one of them has: at most one each, of the same place."""
    if len(old) != len(new):
        return None
    ones, others = list(old), []
    for part in new:
        if part in ones:
            ones.remove(part)
        elif others:
            return None
        else:
            others.append(part)
    if ones and ones[0][:2] != others[0][:2]:
        return None
    return list(zip(ones, others, strict=True))


def _are_opposites(one: str, other: str) -> bool:
    return frozenset((one, other)) in w.ANTONYMS or f"un{one}" == other or f"un{other}" == one


def _is_single_valued(old: Statement, slot: Slot) -> bool:
    """Check whether a thing has only one value of this at a time."""
    where, one, other = slot
    if one[:1].isdigit() != other[:1].isdigit():
        return False
    markers = {marker for _, marker, _ in old.blocks}
    if where == "block" and len(old.core) == 2:
        return ("live" in old.core and "in" in markers) or ("work" in old.core and "at" in markers)
    if where != "core" or old.be_at is None:
        return False
    head = old.subject[: old.subject.index("of")] if "of" in old.subject else old.subject
    return bool(w.CHANGING & set(head)) and old.definite


def _detect_other_owner(old: Statement, new: Statement) -> Comparison | None:
    """Recognise two people as the one owner of a thing."""
    if old.be_at is None or old.core[old.be_at :] != new.core[new.be_at or 0 :]:
        return None
    role = old.core[old.be_at] if old.be_at < len(old.core) else ""
    if role in w.UNIQUE_ROLES and old.definite and "of" in old.core and not old.blocks:
        return Comparison(TextVerdict.CONTRADICTS, f"there is one {role}")
    return None


def _detect_exchange(old: Statement, new: Statement) -> Comparison | None:
    """Recognise exchanged sides: tea over coffee, coffee over tea."""
    if "prefer" not in old.core or "prefer" not in new.core or old.negative != new.negative:
        return None
    one = next((words for _, marker, words in old.blocks if marker == "over"), None)
    other = next((words for _, marker, words in new.blocks if marker == "over"), None)
    at = old.core.index("prefer") + 1
    if one is None or other is None or old.core[:at] != new.core[:at]:
        return None
    if old.core[at:] != other or new.core[at:] != one:
        return None
    verdict = TextVerdict.REPLACES if new.now else TextVerdict.CONTRADICTS
    return Comparison(verdict, f"prefers {' '.join(other)} less")


_RULES: tuple[Callable[[Statement, Statement], Comparison | None], ...] = (
    _compare_frames,
    _detect_move,
    _detect_change,
    _detect_state,
    _detect_details,
    _compare_one_slot,
)
