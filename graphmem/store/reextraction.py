"""What the writer gave of a note, and what its text said, in the graph."""

from dataclasses import dataclass

from graphmem.domain.notes import EntityDraft, Note, RelationDraft
from graphmem.store.graph import Graph


@dataclass(frozen=True, kw_only=True)
class GivenFields:
    """What the writer gave of a note beside its text. Of notes older than these records nobody
    knows which tags and keywords were given (None), and all names and relations count as given."""

    tags: tuple[str, ...] | None
    keywords: tuple[str, ...] | None
    entities: tuple[EntityDraft, ...]
    relations: tuple[RelationDraft, ...]
    keys: frozenset[str]  # name keys of the entities


async def read_given(graph: Graph, note: Note) -> GivenFields:
    """Return what the writer gave of a note; nothing if it has other readers by now."""
    row = await graph.read_one("notes/told", id=note.id, audience=note.audience.key) or {}
    names = [each for each in row.get("names", ()) if each["names"]]
    return GivenFields(
        tags=_words(row.get("tags")),
        keywords=_words(row.get("keywords")),
        entities=tuple(
            EntityDraft(name=each["names"][0], aliases=tuple(each["names"][1:])) for each in names
        ),
        relations=tuple(
            RelationDraft(subject=r["subject"], predicate=r["predicate"], object=r["object"])
            for r in row.get("relations", ())
            if r["subject"] and r["object"]
        ),
        keys=frozenset(key for each in names for key in each["keys"]),
    )


def _words(found: list[str] | None) -> tuple[str, ...] | None:
    return None if found is None else tuple(found)
