"""Memories of other memory stores: mem0, Zep and graphiti, and the memory server of MCP."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from graphmem.domain.notes import MAX_NAME, MAX_TITLE, EntityDraft, Kind, RelationDraft
from graphmem.services.importing.markdown import Document
from graphmem.services.importing.sources.records import (
    Record,
    clean,
    documents,
    instant_of,
    key_of,
    records,
    text_of,
    words_of,
)

MEM0: Final = "mem0"
GRAPHITI: Final = "graphiti"
MCP_MEMORY: Final = "mcp-memory"


def memories_of(value: Any) -> list[Any]:
    """Return the memories in an export of mem0: a list, or an object around it."""
    for name in ("results", "memories"):
        if isinstance(value, dict) and isinstance(value.get(name), list):
            return value[name]
    return [value]


def is_mem0(value: Record) -> bool:
    """Return True if the value is a memory of mem0, or a list of them."""
    found = next(records(memories_of(value)), {})
    return isinstance(found.get("memory"), str)


def of_mem0(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield a note for each memory."""
    for memory in (each for value in values for each in records(memories_of(value))):
        text = text_of(memory, "memory", "text")
        if text is None:
            continue
        names = ("id", "user_id", "agent_id", "run_id", "actor_id", "updated_at", "metadata")
        yield from documents(
            MEM0,
            key_of(MEM0, text_of(memory, "id") or text),
            text,
            now,
            {name: memory.get(name) for name in names},
            tags=words_of(memory.get("categories")),
            occurred_at=instant_of(memory, "created_at"),
        )


def is_mcp_memory(value: Record) -> bool:
    """Return True if the value is a line of `memory.json`."""
    return value.get("type") in ("entity", "relation") and bool({"name", "from"} & value.keys())


def of_mcp_memory(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield a note about its entity for each observation, and one about both for each relation."""
    kinds = {text_of(e, "name"): text_of(e, "entityType") for e in records(values)}
    for value in records(values):
        name = text_of(value, "name")
        if value.get("type") == "entity" and name:
            yield from _observation_documents(name, value, now)
        ends = text_of(value, "from"), text_of(value, "to")
        if value.get("type") == "relation" and ends[0] and ends[1]:
            kind = text_of(value, "relationType") or "relates to"
            yield from _relation_documents(MCP_MEMORY, ends[0], kind, ends[1], value, now, kinds)


def _observation_documents(name: str, entity: Record, now: datetime) -> Iterator[Document]:
    kind = text_of(entity, "entityType")
    observed = entity.get("observations")
    listed = observed if isinstance(observed, list) else []
    texts = [clean(each) for each in listed if isinstance(each, str) and clean(each)]
    for text in texts or [f"{name} is a {kind or 'thing'}."]:
        yield from documents(
            MCP_MEMORY,
            key_of(MCP_MEMORY, name, text),
            text if name.casefold() in text.casefold() else f"{name}: {text}",
            now,
            {"entity": name, "entityType": kind},
            title=name[:MAX_TITLE],
            kind=Kind.SEMANTIC,
            entities=(EntityDraft(name=name[:MAX_NAME], type=kind),),
        )


def is_graphiti(value: Record) -> bool:
    """Return True if the value is an export of a graph of Zep or graphiti, or an edge of one."""
    return isinstance(value.get("fact"), str) or any(
        isinstance(value.get(name), list) for name in ("edges", "episodes")
    )


def of_graphiti(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield a note for each fact, episode and summary of a node.

    A fact is about two entities, and the note is valid as long as the fact was.
    """
    graphs = [value for value in records(values) if "fact" not in value]
    nodes = [node for graph in graphs for node in records(graph.get("nodes"))]
    names = {text_of(node, "uuid", "uuid_"): text_of(node, "name") for node in nodes}
    edges = [edge for graph in graphs for edge in records(graph.get("edges"))]
    edges += [value for value in records(values) if "fact" in value]
    for edge in edges:
        yield from fact_of(edge, names, now)
    for node in nodes:
        yield from summary_of(node, now)
    for episode in (each for graph in graphs for each in records(graph.get("episodes"))):
        yield from episode_of(episode, now)


def fact_of(
    edge: Record, names: Mapping[str | None, str | None], now: datetime
) -> Iterator[Document]:
    """Yield a fact of graphiti."""
    fact = text_of(edge, "fact")
    if fact is None:
        return
    ends = [names.get(text_of(edge, f"{end}_node_uuid")) for end in ("source", "target")]
    said = (text_of(edge, "name") or "relates to").replace("_", " ").lower()
    begins, over = instant_of(edge, "valid_at"), instant_of(edge, "invalid_at", "expired_at")
    relations = ()
    if ends[0] and ends[1]:
        relation = RelationDraft(subject=ends[0], predicate=said[:MAX_NAME], object=ends[1])
        relations = (relation,)
    yield from documents(
        GRAPHITI,
        key_of(GRAPHITI, text_of(edge, "uuid", "uuid_") or fact),
        fact,
        now,
        {name: edge.get(name) for name in ("uuid", "group_id", "episodes", "attributes")},
        kind=Kind.SEMANTIC,
        occurred_at=begins or instant_of(edge, "created_at"),
        valid_from=begins,
        valid_to=over if begins is None or over is None or over >= begins else None,
        relations=relations,
    )


def summary_of(node: Record, now: datetime) -> Iterator[Document]:
    """Yield the summary of a node of graphiti."""
    name, summary = text_of(node, "name"), text_of(node, "summary")
    if name is None or summary is None:
        return
    labels = [each for each in words_of(node.get("labels")) if each != "Entity"]
    kind = labels[0].lower() if labels else None
    yield from documents(
        GRAPHITI,
        key_of(GRAPHITI, text_of(node, "uuid", "uuid_") or name),
        summary,
        now,
        {name: node.get(name) for name in ("uuid", "group_id", "attributes")},
        title=name[:MAX_TITLE],
        kind=Kind.SEMANTIC,
        entities=(EntityDraft(name=name[:MAX_NAME], type=kind),),
        occurred_at=instant_of(node, "created_at"),
    )


def episode_of(episode: Record, now: datetime) -> Iterator[Document]:
    """Yield an episode of graphiti, which is what was said or read."""
    if (content := text_of(episode, "content")) is None:
        return
    title = text_of(episode, "name")
    yield from documents(
        GRAPHITI,
        key_of(GRAPHITI, text_of(episode, "uuid", "uuid_") or content),
        content,
        now,
        {name: episode.get(name) for name in ("uuid", "group_id", "source", "source_description")},
        title=title[:MAX_TITLE] if title else None,
        kind=Kind.EPISODIC,
        occurred_at=instant_of(episode, "valid_at", "created_at"),
    )


def _relation_documents(
    program: str,
    subject: str,
    predicate: str,
    object: str,
    properties: Record,
    now: datetime,
    kinds: Mapping[str | None, str | None],
) -> Iterator[Document]:
    said = predicate.replace("_", " ")
    ends = tuple(EntityDraft(name=e[:MAX_NAME], type=kinds.get(e)) for e in (subject, object))
    yield from documents(
        program,
        key_of(program, subject, predicate, object),
        f"{subject} {said} {object}.",
        now,
        {"relation": dict(properties)},
        kind=Kind.SEMANTIC,
        entities=ends,
        relations=(
            RelationDraft(
                subject=subject[:MAX_NAME], predicate=said[:MAX_NAME], object=object[:MAX_NAME]
            ),
        ),
    )
