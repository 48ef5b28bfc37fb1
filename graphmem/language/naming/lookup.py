"""Looks up names by a description in a question: "the memory project" fits Moltbot Memory."""

from graphmem.domain.ids import name_key
from graphmem.language.naming.name_parts import NameParts, blocking_keys, edits, parts_of

LEAST_FIT = 0.5
_PREFIX = 4  # letters from which a beginning stands for a word
_LONG = 8  # letters from which a word may have two typos


def lookup_keys(thing: str) -> dict[str, list[str]]:
    """Return the keys under which names like `thing` are stored."""
    form, alike = parts_of(thing), blocking_keys(thing)
    words = list(dict.fromkeys(form.core))
    long = [word for word in (*words, form.joined) if len(word) >= _PREFIX]
    return {
        "keys": [name_key(thing), " ".join(form.core)],
        "joined": [alike[kind] for kind in ("joined",) if kind in alike],
        "consonants": [alike["consonants"]] if len(alike.get("consonants", "")) >= _PREFIX else [],
        "words": words,
        "beginnings": list(dict.fromkeys(long)),
    }


def fit(thing: str, name: str, kind: str | None = None) -> float:
    """Return how well `thing` fits the name of an entity of a kind, 0 to 1.

    Below `LEAST_FIT` it doesn't. Every word of it must be one of the name, or its beginning, or
    that with a typo; a word for the kind of the entity (the deploy tool) need not. Or it
    contains the name."""
    asked, named = parts_of(thing), parts_of(name)
    if name_key(thing) == name_key(name) or asked.joined == named.joined:
        return 1.0
    words = _drop_kind(asked, (kind or "").casefold())
    near = [max((_likeness(word, other) for other in named.core), default=0.0) for word in words]
    found = sum(1 for each in near if each)
    share = sum(near) / len(near) if near else 0.0
    if words and found == len(words):
        return 0.9 * share * (1 + min(1.0, len(words) / len(named.core))) / 2
    whole = len(named.core) > 1 and set(named.core) <= set(words)
    return 0.9 * share if whole and 2 * found >= len(words) else 0.0


def _drop_kind(form: NameParts, kind: str) -> tuple[str, ...]:
    rest = tuple(word for word in form.core if word != kind)
    return rest or form.core


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if min(len(one), len(other)) < _PREFIX:
        return 0.0
    if one.startswith(other) or other.startswith(one):
        return 0.8
    most = 2 if min(len(one), len(other)) >= _LONG else 1
    return 0.7 if edits(one, other, most) <= most else 0.0
