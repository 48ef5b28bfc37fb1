"""The client for programs that run on asyncio: the same, run in threads."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, Self, TypeVar

from graphmem.client.memory import Memory
from graphmem.client.models import (
    Agent,
    Consultation,
    ContextPackage,
    Entity,
    Event,
    Expert,
    ForgetResult,
    Note,
    Recall,
    Remembered,
    RememberResult,
    Revision,
    RouteAdvice,
    Stats,
    Status,
)

T = TypeVar("T")
AT_ONCE: Final = 16  # requests; subscriptions have threads of their own
_END: Final = object()


class AsyncMemory:
    """Like `Memory`, with methods to await. Each request has a thread of a pool of its own, so that
    a program that waits for many answers does not stand still."""

    def __init__(self, url: str | None = None, *, memory: Memory | None = None, **given: Any):
        """Connect with `url` and `given` like `Memory`, or take over an existing `memory`, which is
        then closed too."""
        self.memory = memory or (Memory(**given) if url is None else Memory(url, **given))
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="graphmem-client")

    @classmethod
    async def embedded(
        cls, data: str | os.PathLike[str] | None = None, **given: Any
    ) -> "AsyncMemory":
        """See `Memory.embedded`."""
        return cls(memory=await asyncio.to_thread(partial(Memory.embedded, data, **given)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """See `Memory.close`."""
        await asyncio.to_thread(self.memory.close)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run_in_thread(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(work, *given, **named))

    async def remember(self, content: str, **given: Any) -> Remembered:
        """See `Memory.remember`."""
        return await self._run_in_thread(self.memory.remember, content, **given)

    async def remember_many(
        self, notes: Iterable[str | Mapping[str, Any]], **given: Any
    ) -> tuple[RememberResult, ...]:
        """See `Memory.remember_many`."""
        return await self._run_in_thread(self.memory.remember_many, list(notes), **given)

    async def recall(self, query: str, k: int | None = None, **given: Any) -> Recall:
        """See `Memory.recall`."""
        return await self._run_in_thread(self.memory.recall, query, k, **given)

    async def context(
        self, task: str, token_budget: int | None = None, **given: Any
    ) -> ContextPackage:
        """See `Memory.context`."""
        return await self._run_in_thread(self.memory.context, task, token_budget, **given)

    async def feedback(self, recall_id: str, used: Iterable[str], *, helpful: bool = True) -> None:
        """See `Memory.feedback`."""
        await self._run_in_thread(self.memory.feedback, recall_id, list(used), helpful=helpful)

    async def forget(self, id: str, **given: Any) -> ForgetResult:
        """See `Memory.forget`."""
        return await self._run_in_thread(self.memory.forget, id, **given)

    async def forget_matching(self, query: str, **given: Any) -> ForgetResult:
        """See `Memory.forget_matching`."""
        return await self._run_in_thread(self.memory.forget_matching, query, **given)

    async def note(self, id: str) -> Note:
        """See `Memory.note`."""
        return await self._run_in_thread(self.memory.note, id)

    async def find(self, external_id: str) -> Note:
        """See `Memory.find`."""
        return await self._run_in_thread(self.memory.find, external_id)

    async def notes(self, *, page_size: int = 50, **given: Any) -> AsyncIterator[Note]:
        """See `Memory.notes`."""
        after = None
        while True:
            page = await self._run_in_thread(
                self.memory.note_page, first=page_size, after=after, **given
            )
            for note in page.notes:
                yield note
            if not page.page_info.has_next_page:
                return
            after = page.page_info.end_cursor

    async def revise(self, id: str, **given: Any) -> Note:
        """See `Memory.revise`."""
        return await self._run_in_thread(self.memory.revise, id, **given)

    async def restore(self, id: str) -> Note:
        """See `Memory.restore`."""
        return await self._run_in_thread(self.memory.restore, id)

    async def pin(self, id: str, *, pinned: bool = True) -> Note:
        """See `Memory.pin`."""
        return await self._run_in_thread(self.memory.pin, id, pinned=pinned)

    async def history(self, id: str, first: int = 20) -> tuple[Revision, ...]:
        """See `Memory.history`."""
        return await self._run_in_thread(self.memory.history, id, first)

    async def entity(self, name: str | None = None, *, id: str | None = None) -> Entity:
        """See `Memory.entity`."""
        return await self._run_in_thread(self.memory.entity, name, id=id)

    async def experts(self, topic: str, first: int | None = None) -> tuple[Expert, ...]:
        """See `Memory.experts`."""
        return await self._run_in_thread(self.memory.experts, topic, first)

    async def route(self, task: str) -> RouteAdvice:
        """See `Memory.route`."""
        return await self._run_in_thread(self.memory.route, task)

    async def consult(self, question: str, **given: Any) -> Consultation:
        """See `Memory.consult`."""
        return await self._run_in_thread(self.memory.consult, question, **given)

    async def request(self, method: str, path: str, **given: Any) -> Any:
        """See `Memory.request`."""
        return await self._run_in_thread(self.memory.request, method, path, **given)

    async def agents(self) -> tuple[Agent, ...]:
        """See `Memory.agents`."""
        return await self._run_in_thread(self.memory.agents)

    async def stats(self) -> Stats:
        """See `Memory.stats`."""
        return await self._run_in_thread(self.memory.stats)

    async def status(self) -> Status:
        """See `Memory.status`."""
        return await self._run_in_thread(self.memory.status)

    async def events(self, after: int | None = None, **given: Any) -> AsyncIterator[Event]:
        """See `Memory.events`; it is closed when the caller stops reading."""
        subscription = self.memory.events(after, **given)
        try:
            while True:
                event = await asyncio.to_thread(next, subscription, _END)
                if not isinstance(event, Event):
                    return
                yield event
        finally:
            subscription.close()
