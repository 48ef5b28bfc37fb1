"""Facts that the graph records about itself: its embedding model, its indexes, its health."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.notes import Note
from graphmem.store.graph import Graph, Row, Step
from graphmem.store.passages import PassageRow, put_step
from graphmem.store.rows import to_note
from graphmem.store.vectors import to_vector

ALL = 100.0  # per cent of an index that is complete


@dataclass(frozen=True, kw_only=True)
class Embedding:
    """The model that made the vectors; `target` is set while another model is replacing it."""

    model: str
    dimension: int
    target: str | None = None
    target_dimension: int | None = None
    reached: str = ""  # id of the last note that has a vector of the target


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


async def claim_embedding(graph: Graph, model: str, dimension: int, now: datetime) -> Embedding:
    """Record the model unless one is recorded; return the recorded one."""
    row = await graph.write_one("meta/claim_embedding", model=model, dimension=dimension, now=now)
    assert row is not None  # MERGE returns one row
    return _to_embedding(row)


async def get_embedding(graph: Graph) -> Embedding | None:
    """Return the recorded model, None in a new graph."""
    row = await graph.read_one("meta/embedding")
    return None if row is None else _to_embedding(row)


def _to_embedding(row: Row) -> Embedding:
    return Embedding(
        model=row["model"],
        dimension=row["dimension"],
        target=row["target"],
        target_dimension=row["targetDimension"],
        reached=row["reached"],
    )


async def begin_embedding(graph: Graph, model: str, dimension: int, now: datetime) -> None:
    """Record that another model is about to replace the recorded one."""
    await graph.write_one("meta/begin_embedding", model=model, dimension=dimension, now=now)


async def set_embedding(graph: Graph, model: str, dimension: int, now: datetime) -> None:
    """Record the model that made all vectors."""
    await graph.write_one("meta/set_embedding", model=model, dimension=dimension, now=now)


async def notes_after(graph: Graph, after: str, limit: int) -> list[Note]:
    """Return the notes of all users by id, after an id."""
    rows = await graph.read_list("meta/notes_after", after=after, limit=limit)
    return [to_note(row) for row in rows]


async def count_after(graph: Graph, after: str) -> int:
    """Count the notes of all users after an id."""
    row = await graph.read_one("meta/count_after", after=after)
    return 0 if row is None else row["notes"]


async def set_vectors(
    graph: Graph,
    vectors: Mapping[str, Sequence[float]],
    passages: Mapping[str, Sequence[PassageRow]],
    reached: str,
) -> None:
    """Give notes new vectors, and replace the passages of all of them, long or short; record the
    progress in the same transaction."""
    rows = [{"id": note, "embedding": to_vector(vector)} for note, vector in vectors.items()]
    parts = put_step({note: passages.get(note, ()) for note in vectors})
    await graph.write(Step("meta/set_vectors", {"rows": rows, "reached": reached}), parts)


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


async def create_vector_index(graph: Graph, dimension: int) -> None:
    """Create the vector indexes, of notes and of passages, unless they exist."""
    await graph.run("meta/create_vector_index", dimension=dimension)
    await graph.run("meta/create_passage_index", dimension=dimension)


async def drop_vector_index(graph: Graph) -> None:
    """Drop the vector indexes if they exist."""
    await graph.run("meta/drop_vector_index")
    await graph.run("meta/drop_passage_index")


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


async def count_all(graph: Graph, now: datetime) -> int:
    """Count the notes of all users."""
    row = await graph.read_one("stats/total", now=now)
    return 0 if row is None else row["notes"]


async def count_notes(graph: Graph) -> int:
    """Count the notes of all users, whatever their status; the cost does not grow with their
    number."""
    row = await graph.read_one("meta/count_notes")
    return row["notes"] if row else 0
