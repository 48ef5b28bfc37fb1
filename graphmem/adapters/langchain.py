"""LangChain: a retriever and the history of a chat. Needs the extra `graphmem[langchain]`."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from graphmem.adapters.transcript import Transcript, TranscriptMessage
from graphmem.client import Hit, Memory


class GraphmemRetriever(BaseRetriever):
    """Retriever that recalls notes as documents, best first.

    Raises `graphmem.client.ServiceError`."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    k: int = 5
    """the most notes"""
    options: dict[str, Any] = Field(default_factory=dict)
    """further arguments of `Memory.recall`, such as profile and filter"""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        recall = self.memory.recall(query, self.k, **self.options)
        return [_document(hit, recall.id) for hit in recall.hits]


class GraphmemChatMessageHistory(BaseChatMessageHistory):
    """The messages of one chat, kept as notes of an episode.

    Raises `graphmem.client.ServiceError`."""

    def __init__(
        self,
        memory: Memory,
        session_id: str,
        *,
        visibility: str = "PRIVATE",
        domain: str = "conversations",
    ) -> None:
        self._transcript = Transcript(memory, session_id, visibility=visibility, domain=domain)

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """All messages, oldest first."""
        return messages_from_dict(self._transcript.read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages."""
        self._transcript.add(
            TranscriptMessage(
                text=each.text, speaker=each.name or each.type, data=message_to_dict(each)
            )
            for each in messages
        )

    def clear(self) -> None:
        """Destroy all messages."""
        self._transcript.clear()


def _document(hit: Hit, recall_id: str) -> Document:
    note = hit.note
    values = {
        "score": hit.score,
        "title": note.title,
        "domain": note.domain,
        "tags": list(note.tags),
        "author": note.author_id,
        "created_at": note.created_at.isoformat(),
        "occurred_at": note.occurred_at and note.occurred_at.isoformat(),
        "recall_id": recall_id,
    }
    metadata = {name: value for name, value in values.items() if value is not None}
    return Document(id=note.id, page_content=note.content, metadata=metadata)
