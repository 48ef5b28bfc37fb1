"""What has more relationships than Neo4j keeps in one list (50, then by type and direction): an
entity by mentions and relations, and a note by links; readable ones and hidden ones in turn."""

from collections.abc import Iterator, Sequence
from typing import Any

from .documents import Call
from .script import NoteRef, Place
from .vocabulary import NAMES

SIZES = (30, 28, 12, 30)  # notes written at once: hidden, readable, hidden, readable
LINKS_AT_ONCE = 14  # a document has 15 aliases at most


def hub_drafts(name: str, place: Place, batch: int) -> list[dict[str, Any]]:
    """Notes that mention `name` and tell relations of it, to be written at once."""
    others = [other for other in NAMES if other != name]
    return [
        {
            "content": f"Entry {batch}.{i} is about {name}.",
            "mode": "VERBATIM",
            "visibility": place.visibility,
            "domain": place.domain,
            "entities": [{"name": name}] if i % 3 == 0 else [],
            "relations": [
                {"subject": name, "predicate": "knows", "object": others[i % len(others)]}
            ],
        }
        for i in range(SIZES[batch])
    ]


def links_of_hub(batches: Sequence[str]) -> Iterator[tuple[int, tuple[Call, ...]]]:
    """The calls that link the last note of the last batch to the others, with the place of the
    batch; in the order of the batches."""
    hub = NoteRef(f"{batches[-1]}.{SIZES[-1] - 1}")
    for place, name in enumerate(batches):
        notes = (NoteRef(f"{name}.{i}") for i in range(SIZES[place]))
        targets = [note for note in notes if note != hub]
        for start in range(0, len(targets), LINKS_AT_ONCE):
            yield (
                place,
                tuple(
                    Call("link", {"source": hub, "target": t, "kind": "supports"}, "Mutation")
                    for t in targets[start : start + LINKS_AT_ONCE]
                ),
            )
