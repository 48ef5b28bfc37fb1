"""The fields that the writer of a note gave, and the statements of its text, in the graph."""

from dataclasses import dataclass

from graphmem.domain.notes import EntityDraft, Note, RelationDraft
from graphmem.store.graph import Graph


@dataclass(frozen=True, kw_only=True)
class GivenFields:
    """The fields that the writer gave besides the text. For notes older than these records it is
    unknown which tags and keywords were given (None), and all names and relations count as
    given."""

    tags: tuple[str, ...] | None
    keywords: tuple[str, ...] | None
    entities: tuple[EntityDraft, ...]
    relations: tuple[RelationDraft, ...]
    keys: frozenset[str]  # name keys of the entities


async def read_given(graph: Graph, note: Note) -> GivenFields:
    """Return the fields that the writer of a note gave; empty if it has other readers by now."""
    row = await graph.read_one("notes/told", id=note.id, audience=note.audience.key) or {}
    names = [each for each in row.get("names", ()) if each["names"]]
    return GivenFields(
        tags=_to_tuple(row.get("tags")),
        keywords=_to_tuple(row.get("keywords")),
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


def _to_tuple(found: list[str] | None) -> tuple[str, ...] | None:
    return None if found is None else tuple(found)
