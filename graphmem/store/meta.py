"""Facts that the graph records about itself: the forms of its indexes, its health."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Note
from graphmem.store.graph import Graph, Step
from graphmem.store.rows import to_note

ALL = 100.0  # per cent of an index that is complete
MOST_WAITING = 10_000  # notes that are counted


@dataclass(frozen=True, kw_only=True)
class GraphHealth:
    """The number of applied migrations, the number of indexes that can't be used yet, and whether a
    vector index exists."""

    migrations: int
    pending: int
    vectors: bool


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The number of nodes of all users by label, the number of relationships, and the state of each
    index by name."""

    labels: Mapping[str, int]
    relationships: int
    indexes: Mapping[str, str]


async def some_owner(graph: Graph) -> str | None:
    """Return a user who has notes, None when nobody has."""
    row = await graph.read_one("meta/some_owner")
    return None if row is None else row["user"]


async def notes_after(graph: Graph, after: str, limit: int, *, missing: bool = False) -> list[Note]:
    """Return the notes of all users by id, after an id; `missing`: those without a vector."""
    rows = await graph.read_list("meta/notes_after", after=after, limit=limit, missing=missing)
    return [to_note(row) for row in rows]


async def read_words(graph: Graph) -> tuple[int | None, str]:
    """Return the form of the word indexes that all notes have, None if some note has none; and the
    id of the last note that got one."""
    row = await graph.read_one("meta/words")
    return (None, "") if row is None else (row["form"], row["reached"])


async def set_words(
    graph: Graph,
    rows: Sequence[tuple[str, int, Mapping[str, object], int, str | None]],
    reached: str,
) -> None:
    """Set the stored words, the traits and the text keys of notes, given by id and version, and
    record the progress."""
    given = [
        {"id": i, "version": version, **words, "traits": traits, "textKey": key}
        for i, version, words, traits, key in rows
    ]
    await graph.write(Step("meta/set_words", {"rows": given, "reached": reached}))


async def finish_words(graph: Graph, form: int) -> None:
    """Record that all notes have word indexes of this form."""
    await graph.write_one("meta/finish_words", form=form)


async def read_names(graph: Graph) -> tuple[int | None, str]:
    """Return the form of the loose lookup keys that all names have, None if some name has none; and
    the id of the last name that got one."""
    row = await graph.read_one("meta/names")
    return (None, "") if row is None else (row["form"], row["reached"])


async def names_after(graph: Graph, after: str, limit: int) -> list[tuple[str, str]]:
    """Return the names of all users by id, after an id, as ids and keys."""
    rows = await graph.read_list("meta/names_after", after=after, limit=limit)
    return [(i, key) for i, key in rows]


async def set_names(graph: Graph, keys: Mapping[str, str], reached: str) -> None:
    """Set the keys under which names are looked up loosely, and record the progress."""
    rows = [{"id": i, "loose": key} for i, key in keys.items()]
    await graph.write(Step("meta/set_names", {"rows": rows, "reached": reached}))


async def finish_names(graph: Graph, form: int) -> None:
    """Record that all names have keys of this form."""
    await graph.write_one("meta/finish_names", form=form)


async def read_health(graph: Graph) -> GraphHealth:
    """Return the health of the store. Raises Unavailable when it does not answer."""
    row = await graph.read_one("meta/health")
    return (
        GraphHealth(migrations=0, pending=0, vectors=False) if row is None else GraphHealth(**row)
    )


async def read_contents(graph: Graph) -> Contents:
    """Return the contents of the graph. Raises Unavailable when it does not answer."""
    row = await graph.read_one("meta/contents")
    assert row is not None  # the query always returns one row
    return Contents(
        labels=dict(sorted(row["labels"])),
        relationships=row["relationships"],
        indexes={
            name: f"{state}, {kind}" + (f", {percent:.0f} %" if percent < ALL else "")
            for name, kind, state, percent in row["indexes"]
        },
    )


async def read_version(graph: Graph) -> str:
    """Return the version and the edition of Neo4j. Raises Unavailable."""
    row = await graph.read_one("meta/version")
    return "" if row is None else row["version"]


async def count_by_status(graph: Graph) -> tuple[dict[str, int], int]:
    """Count the notes of all users by status, and those that wait for an LLM, up to MOST_WAITING.
    Raises Unavailable."""
    row = await graph.read_one("meta/notes_by_status", most=MOST_WAITING)
    assert row is not None  # the query always returns one row
    return dict(row["statuses"]), row["waiting"]


async def count_all(graph: Graph, now: datetime) -> int:
    """Count the notes of all users."""
    row = await graph.read_one("stats/total", now=now)
    return 0 if row is None else row["notes"]


async def count_notes(graph: Graph) -> int:
    """Count the notes of all users, whatever their status; the cost does not grow with their
    number."""
    row = await graph.read_one("meta/count_notes")
    return row["notes"] if row else 0
