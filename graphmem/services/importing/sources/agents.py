"""Memories of agent frameworks: agent files of Letta, stores of LangGraph, banks of Hindsight."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from graphmem.domain.notes import MAX_NAME, MAX_TITLE, EntityDraft, Kind, Source
from graphmem.services.importing.markdown import Document
from graphmem.services.importing.sources.chats import SPOKEN
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

LETTA: Final = "letta"
LANGGRAPH: Final = "langgraph"
HINDSIGHT: Final = "hindsight"
MOST_ENTITIES: Final = 50  # of one fact
_FACTS: Final = ("world", "experience", "observation", "opinion")  # types of a fact of Hindsight
_TYPED: Final = re.compile(r"(.{1,200}) \((\w{1,60})\)")  # such as "Ada (PERSON)"


def is_letta(value: Record) -> bool:
    """Return True if the value is an agent file of Letta, of its present or its first format."""
    many = isinstance(value.get("agents"), list) and isinstance(value.get("blocks"), list)
    return many or isinstance(value.get("core_memory"), list)


def of_letta(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield a note for each block of memory and for each thing that was said to or by an agent."""
    taken: set[tuple[str, ...]] = set()
    for file in records(values):
        agents = [file] if "core_memory" in file else list(records(file.get("agents")))
        blocks = {text_of(each, "id"): each for each in records(file.get("blocks"))}
        for agent in agents:
            name = text_of(agent, "name", "id") or "agent"
            place = _place_of(name, text_of(agent, "id") or "", taken)
            held = agent.get("block_ids")
            own = (
                [blocks.pop(id, None) for id in held if isinstance(id, str)]
                if isinstance(held, list)
                else []
            )
            for block in records([*own, *records(agent.get("core_memory"))]):
                yield from _block_documents(block, name, place, now)
            for message in records(agent.get("messages")):
                yield from _turn_documents(message, name, place, now)
        for block in blocks.values():
            yield from _block_documents(block, "", ("",), now)


def _place_of(name: str, id: str, taken: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what stands for an agent in keys: its name, for others of that name with the id.

    The ids in a file count its agents, so the same agent may have another one in another file."""
    place = (name,)
    if place in taken:
        place = (name, id)
    if place in taken:  # of another file
        place = (name, id, str(len(taken)))
    taken.add(place)
    return place


def _block_documents(
    block: Record, agent: str, place: tuple[str, ...], now: datetime
) -> Iterator[Document]:
    if (content := text_of(block, "value")) is None:
        return
    label = text_of(block, "label") or "memory"
    yield from documents(
        LETTA,
        key_of(LETTA, *place, label),
        content,
        now,
        {"block": label, "agent": agent, "description": block.get("description")},
        title=label[:MAX_TITLE],
        kind=Kind.SEMANTIC,
        occurred_at=instant_of(block, "created_at"),
    )


def _turn_documents(
    message: Record, agent: str, place: tuple[str, ...], now: datetime
) -> Iterator[Document]:
    role = message.get("role")
    said = _said_by_letta(message)
    if role not in SPOKEN or not said:
        return
    yield from documents(
        LETTA,
        key_of(LETTA, *place, str(message.get("created_at")), role, said),
        said,
        now,
        {"agent": agent},
        kind=Kind.EPISODIC,
        source=Source.TOLD,
        episode=key_of(LETTA, *place),
        speaker=role,
        occurred_at=instant_of(message, "created_at"),
        domain=f"conversations/{LETTA}",
    )


def _said_by_letta(message: Record) -> str:
    """Return what a message says to the other side, without thoughts and events of the program."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [text_of(each, "text") for each in records(content) if each.get("type") == "text"]
        content = "\n".join(part for part in parts if part)
    text = clean(content) if isinstance(content, str) else ""
    if message.get("role") == "user":
        packed = _parsed(text)
        if packed is None:
            return text
        return (text_of(packed, "message") or "") if packed.get("type") == "user_message" else ""
    sent = []  # an agent may speak by a tool, and its content is what it thinks then
    for call in records(message.get("tool_calls")):
        function = call.get("function")
        if isinstance(function, dict) and function.get("name") == "send_message":
            given = _parsed(function.get("arguments")) or {}
            sent += [said] if (said := text_of(given, "message")) else []
    return "\n".join(sent) if message.get("tool_calls") else text


def _parsed(text: object) -> Record | None:
    """Return the object that a text of JSON is; None for any other text."""
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_langgraph(value: Record) -> bool:
    """Return True if the value is an item of a store of LangGraph."""
    return {"namespace", "key", "value"} <= value.keys() and isinstance(value["value"], dict)


def of_langgraph(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield a note for each item: its text if it has one, else all that it holds as JSON."""
    for item in records(values):
        if not is_langgraph(item):
            continue
        value, place = item["value"], words_of(item["namespace"])
        inner = value.get("content") if isinstance(value.get("content"), dict) else value
        said = text_of(inner, "content", "text", "memory", "data", "fact")
        text = said or clean(json.dumps(value, ensure_ascii=False, sort_keys=True))
        yield from documents(
            LANGGRAPH,
            key_of(LANGGRAPH, *place, text_of(item, "key") or text),
            text,
            now,
            {"namespace": list(place), "key": item.get("key"), "value": value if said else None},
            occurred_at=instant_of(item, "created_at", "updated_at"),
        )


def facts_of(value: Record) -> list[Any]:
    """Return the facts in an answer of Hindsight, or the one that the value is."""
    for name in ("items", "results"):
        if isinstance(value.get(name), list):
            return value[name]
    return [value]


def is_hindsight(value: Record) -> bool:
    """Return True if the value is a fact of Hindsight, or a list of them."""
    found = next(records(facts_of(value)), {})
    return isinstance(found.get("text"), str) and _type_of(found) in _FACTS


def of_hindsight(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield a note for each fact of a bank with the entities that it names."""
    for fact in (each for value in records(values) for each in records(facts_of(value))):
        if (text := text_of(fact, "text")) is None:
            continue
        names = ("id", "context", "document_id", "metadata", "mentioned_at")
        yield from documents(
            HINDSIGHT,
            key_of(HINDSIGHT, text_of(fact, "id") or text),
            text,
            now,
            {name: fact.get(name) for name in names} | {"type": _type_of(fact)},
            kind=Kind.EPISODIC if _type_of(fact) == "experience" else Kind.SEMANTIC,
            tags=words_of(fact.get("tags")),
            entities=tuple(map(_entity, words_of(fact.get("entities"))[:MOST_ENTITIES])),
            occurred_at=instant_of(fact, "occurred_start", "date", "mentioned_at"),
        )


def _type_of(fact: Record) -> object:
    return fact.get("fact_type") or fact.get("type")


def _entity(name: str) -> EntityDraft:
    """Return an entity of its name, perhaps followed by its type."""
    if typed := _TYPED.fullmatch(name):
        return EntityDraft(name=typed[1][:MAX_NAME], type=typed[2].lower())
    return EntityDraft(name=name, type=None)
