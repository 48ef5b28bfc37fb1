"""Conversations that ChatGPT and Claude export: each message is a note of an episode."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from graphmem.domain.notes import MAX_TITLE, Kind, Source
from graphmem.services.importing.markdown import Document
from graphmem.services.importing.sources.records import (
    Record,
    clean,
    documents,
    instant_of,
    key_of,
    records,
    text_of,
)

CHATGPT: Final = "chatgpt"
CLAUDE: Final = "claude"
SPOKEN: Final = ("user", "assistant")
LONGEST: Final = 100_000  # messages of one conversation


def is_chatgpt(value: Record) -> bool:
    """Return True if the value is a conversation of ChatGPT."""
    return isinstance(value.get("mapping"), dict)


def is_claude(value: Record) -> bool:
    """Return True if the value is a conversation of Claude."""
    return isinstance(value.get("chat_messages"), list)


def of_chatgpt(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield what was said in the branch of each conversation that is shown."""
    for talk in records(values):
        if not is_chatgpt(talk):
            continue
        name = text_of(talk, "conversation_id", "id") or str(talk.get("create_time"))
        for node, message in _shown_branch(talk):
            author = message.get("author")
            role = author.get("role") if isinstance(author, dict) else None
            said = _join_texts(message.get("content"))
            if role not in SPOKEN or not said or message.get("weight") == 0:
                continue
            at = instant_of(message, "create_time") or instant_of(talk, "create_time")
            yield from _message_documents(CHATGPT, name, node, role, said, at, talk, now)


def of_claude(values: list[Any], now: datetime) -> Iterator[Document]:
    """Yield what was said in each conversation."""
    for talk in records(values):
        if not is_claude(talk):
            continue
        name = text_of(talk, "uuid") or str(talk.get("created_at"))
        for i, message in enumerate(records(talk["chat_messages"])):
            role = "assistant" if message.get("sender") == "assistant" else "user"
            texts = [text_of(each, "text") for each in records(message.get("content"))]
            said = text_of(message, "text") or "\n".join(each for each in texts if each)
            at = instant_of(message, "created_at") or instant_of(talk, "created_at")
            if said:
                id = text_of(message, "uuid") or str(i)
                yield from _message_documents(CLAUDE, name, id, role, said, at, talk, now)


def _message_documents(
    program: str,
    talk: str,
    message: str,
    role: str,
    said: str,
    at: datetime | None,
    known: Record,
    now: datetime,
) -> Iterator[Document]:
    title = text_of(known, "title", "name")
    yield from documents(
        program,
        key_of(program, talk, message),
        said,
        now,
        {"conversation": talk, "message": message, "model": known.get("default_model_slug")},
        title=title[:MAX_TITLE] if title else None,
        kind=Kind.EPISODIC,
        source=Source.TOLD,
        episode=key_of(program, talk),
        speaker=role,
        occurred_at=at,
        domain=f"conversations/{program}",
    )


def _shown_branch(talk: Record) -> Iterator[tuple[str, Record]]:
    """Yield the messages from the first to the current one; without one, all in their order."""
    nodes = talk["mapping"]
    path: list[str] = []
    node: Any = talk.get("current_node")
    seen: set[str] = set()
    while isinstance(node, str) and node in nodes and node not in seen and len(path) < LONGEST:
        seen.add(node)
        path.append(node)
        node = nodes[node].get("parent") if isinstance(nodes[node], dict) else None
    for name in reversed(path) if path else list(nodes)[:LONGEST]:
        message = nodes[name].get("message") if isinstance(nodes[name], dict) else None
        if isinstance(message, dict):
            yield name, message


def _join_texts(content: object) -> str:
    """Return the texts of a message; pictures and files are left out."""
    if not isinstance(content, dict):
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return text_of(content, "text", "result") or ""
    return clean("\n".join(part for part in parts if isinstance(part, str)))
