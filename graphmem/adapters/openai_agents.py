"""OpenAI Agents SDK: a session. Needs the extra `graphmem[openai-agents]`."""

import asyncio
from collections.abc import Mapping
from typing import Any

from agents.memory import SessionABC, SessionSettings

from graphmem.adapters.transcript import Transcript, TranscriptMessage
from graphmem.client import Memory

ROLES = {"function_call_output": "tool", "reasoning": "assistant", "function_call": "assistant"}


class GraphmemSession(SessionABC):
    """The items of one conversation, kept as notes of an episode.

    Raises `graphmem.client.ServiceError`."""

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        visibility: str = "PRIVATE",
        domain: str = "conversations",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._transcript = Transcript(memory, session_id, visibility=visibility, domain=domain)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return all items, or the last ones, oldest first."""
        settings = self.session_settings
        last = limit if limit is not None or settings is None else settings.limit
        return await asyncio.to_thread(self._transcript.read, last)

    async def add_items(self, items: list[Any]) -> None:
        """Append items."""
        messages = [
            TranscriptMessage(text=_text(each), speaker=_role(each), data=each) for each in items
        ]
        await asyncio.to_thread(self._transcript.add, messages)

    async def pop_item(self) -> Any:
        """Remove the last item and return it; None if there is none."""
        return await asyncio.to_thread(self._transcript.pop)

    async def clear_session(self) -> None:
        """Destroy all items."""
        await asyncio.to_thread(self._transcript.clear)


def _role(item: Mapping[str, Any]) -> str:
    kind = str(item.get("type") or "message")
    return str(item.get("role") or ROLES.get(kind, kind))


def _text(item: Mapping[str, Any]) -> str:
    """Return the text of an item: its content, the output of a tool, or the call of one."""
    content = item.get("content") or item.get("output") or item.get("summary") or ""
    if isinstance(content, str):
        text = content
    else:
        parts = content if isinstance(content, list) else [content]
        text = "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))
    if not text.strip() and item.get("name"):
        text = f"{item['name']}({item.get('arguments') or ''})"
    return text
