"""Graphs of other programs in Neo4j: neo4j-agent-memory and graphiti.

They are read as `apoc.export.json.all` writes them: one line is a node or a relationship.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from graphmem.domain.notes import (
    MAX_NAME,
    MAX_TITLE,
    EntityDraft,
    Kind,
    NoteType,
    RelationDraft,
    Source,
)
from graphmem.services.importing.markdown import Document
from graphmem.services.importing.sources.records import (
    Record,
    documents,
    instant_of,
    key_of,
    records,
    share_of,
    text_of,
    words_of,
)
from graphmem.services.importing.sources.stores import episode_of, fact_of, summary_of

AGENT_MEMORY: Final = "agent-memory"


def is_dump(value: Record) -> bool:
    """Return True if the value is a line of a dump."""
    return value.get("type") in ("node", "relationship") and "id" in value


def of_dump(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield what the nodes of memory say; others are left out."""
    nodes = {str(each.get("id")): each for each in records(values) if each.get("type") == "node"}
    edges = [each for each in records(values) if each.get("type") == "relationship"]
    talks = _conversations(nodes, edges)
    for id, node in nodes.items():
        known = {**_properties(node), "labels": node.get("labels")}
        for label in words_of(node.get("labels")):
            if label in READERS:
                yield from READERS[label](known, talks.get(id), now)
                break
    names = {
        text_of(_properties(n), "uuid"): text_of(_properties(n), "name") for n in nodes.values()
    }
    for edge in edges:
        known = _properties(edge)
        ends = [_properties(nodes.get(_end_id(edge, end), {})) for end in ("start", "end")]
        if text_of(known, "fact"):
            uuids = {f"{n}_node_uuid": text_of(e, "uuid") for n, e in zip(ENDS, ends, strict=True)}
            yield from fact_of({**known, **uuids}, names, now)


ENDS: Final = ("source", "target")


def _conversations(nodes: Mapping[str, Record], edges: list[Record]) -> dict[str, str]:
    """Return the conversation of each message, by the ids of the dump."""
    talks = {}
    for edge in edges:
        if edge.get("label") == "HAS_MESSAGE":
            talk = _properties(nodes.get(_end_id(edge, "start"), {}))
            name = text_of(talk, "session_id", "id")
            if name:
                talks[_end_id(edge, "end")] = name
    return talks


def _message_documents(node: Record, talk: str | None, now: datetime) -> Iterator[Document]:
    if (content := text_of(node, "content")) is None:
        return
    yield from documents(
        AGENT_MEMORY,
        key_of(AGENT_MEMORY, text_of(node, "id") or content),
        content,
        now,
        {"message": node.get("id"), "conversation": talk, "metadata": node.get("metadata")},
        kind=Kind.EPISODIC,
        episode=key_of(AGENT_MEMORY, talk) if talk else None,
        speaker=text_of(node, "role"),
        occurred_at=instant_of(node, "timestamp", "created_at"),
    )


def _preference_documents(node: Record, talk: str | None, now: datetime) -> Iterator[Document]:
    if (said := text_of(node, "preference")) is None:
        return
    yield from documents(
        AGENT_MEMORY,
        key_of(AGENT_MEMORY, text_of(node, "id") or said),
        said,
        now,
        {"preference": node.get("id"), "context": node.get("context")},
        kind=Kind.SEMANTIC,
        type=NoteType.PREFERENCE,
        tags=words_of([node.get("category")]),
        confidence=share_of(node.get("confidence")),
        occurred_at=instant_of(node, "created_at"),
    )


def _fact_documents(node: Record, talk: str | None, now: datetime) -> Iterator[Document]:
    names = [text_of(node, name) for name in ("subject", "predicate", "object")]
    subject, predicate, target = (name[:MAX_NAME] if name else None for name in names)
    if not (subject and predicate and target):
        return
    begins, over = instant_of(node, "valid_from"), instant_of(node, "valid_until", "invalidated_at")
    said = predicate.replace("_", " ").lower()
    yield from documents(
        AGENT_MEMORY,
        key_of(AGENT_MEMORY, text_of(node, "id") or (subject, predicate, target)),
        f"{subject} {said} {target}.",
        now,
        {"fact": node.get("id"), "metadata": node.get("metadata")},
        kind=Kind.SEMANTIC,
        type=NoteType.FACT,
        confidence=share_of(node.get("confidence")),
        relations=(RelationDraft(subject=subject, predicate=said, object=target),),
        occurred_at=instant_of(node, "created_at"),
        valid_from=begins,
        valid_to=over if begins is None or over is None or over >= begins else None,
    )


def _entity_documents(node: Record, talk: str | None, now: datetime) -> Iterator[Document]:
    if "summary" in node:
        yield from summary_of(node, now)  # a node of graphiti
        return
    name, said = text_of(node, "name"), text_of(node, "description")
    if name is None or said is None:
        return
    kind = text_of(node, "type")
    aliases = tuple(each for each in words_of(node.get("aliases")) if each != name)[:20]
    yield from documents(
        AGENT_MEMORY,
        key_of(AGENT_MEMORY, text_of(node, "id") or name),
        said,
        now,
        {"entity": node.get("id"), "subtype": node.get("subtype")},
        title=name[:MAX_TITLE],
        kind=Kind.SEMANTIC,
        entities=(EntityDraft(name=name[:MAX_NAME], type=kind and kind.lower(), aliases=aliases),),
        occurred_at=instant_of(node, "created_at"),
    )


def _trace_documents(node: Record, talk: str | None, now: datetime) -> Iterator[Document]:
    task, outcome = text_of(node, "task"), text_of(node, "outcome")
    if task is None or outcome is None:
        return
    yield from documents(
        AGENT_MEMORY,
        key_of(AGENT_MEMORY, text_of(node, "id") or task),
        f"{task}\n{outcome}",
        now,
        {"trace": node.get("id"), "success": node.get("success")},
        title=task[:MAX_TITLE],
        kind=Kind.EPISODIC,
        source=Source.EXPERIENCE,
        occurred_at=instant_of(node, "completed_at", "started_at", "created_at"),
    )


def _episode_documents(node: Record, talk: str | None, now: datetime) -> Iterator[Document]:
    yield from episode_of(node, now)


READERS: Final[Mapping[str, Callable[[Record, str | None, datetime], Iterator[Document]]]] = {
    "Message": _message_documents,
    "Preference": _preference_documents,
    "Fact": _fact_documents,
    "Entity": _entity_documents,
    "ReasoningTrace": _trace_documents,
    "Episodic": _episode_documents,
}


def _properties(record: Record) -> Record:
    found = record.get("properties")
    return found if isinstance(found, dict) else {}


def _end_id(edge: Record, end: str) -> str:
    node = edge.get(end)
    return str(node.get("id")) if isinstance(node, dict) else ""
