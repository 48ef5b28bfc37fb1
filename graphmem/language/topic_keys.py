"""The one key of a topic, however it is written.

`Kubernetes deployments`, `kubernetes-deployment` and the domain `kubernetes/deployment` are one
topic."""

import re
from collections.abc import Sequence
from typing import Final

from graphmem.language.analysis import english_terms

LONGEST_KEY: Final = 3_000  # bytes; an index entry, which also holds the audience, may have 8,000
LONGEST: Final = 3  # words of a topic that is searched for in a text
READ: Final = 14  # stems of a text that are searched for topics
_JOINTS: Final = re.compile(r"[/_.@-]+")


def topic_key(name: str) -> str:
    """Return the stems of a topic's words, joined by blanks; empty if it has none."""
    return " ".join(english_terms(_JOINTS.sub(" ", name)))


def _is_indexed(key: str) -> bool:
    """Check whether such a topic can exist: a word of a question may be too long for the index."""
    return 0 < len(key) <= LONGEST_KEY // 4 or 0 < len(key.encode()) <= LONGEST_KEY


def topic_keys_in(text: str) -> tuple[str, ...]:
    """Return the keys that a topic named in a text may have.

    They are runs of one to three of its first stems."""
    stems = tuple(dict.fromkeys(english_terms(_JOINTS.sub(" ", text))))[:READ]
    runs = (
        " ".join(stems[start : start + length])
        for length in range(LONGEST, 0, -1)
        for start in range(len(stems) - length + 1)
    )
    return tuple(filter(_is_indexed, runs))


def topics_of(names: Sequence[str], tags: Sequence[str], domain: str | None) -> dict[str, str]:
    """Return the topics of a note by key, each as the note calls it.

    They are the entities that it names, its tags, and the parts of its domain, the last part
    first."""
    parts = [part for part in reversed((domain or "").split("/")) if part]
    found: dict[str, str] = {}
    for name in (*names, *tags, *parts):
        key = topic_key(name)
        if _is_indexed(key):
            found.setdefault(key, name)
    return found
