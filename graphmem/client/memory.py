"""The memory of a user or of one of the user's agents, in a graphmem service."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

from graphmem.client import requests
from graphmem.client.embedded import EmbeddedService
from graphmem.client.errors import answer_of
from graphmem.client.models import (
    Agent,
    Consultation,
    ContextPackage,
    Entity,
    Expert,
    ForgetResult,
    Note,
    NotePage,
    Recall,
    Remembered,
    RememberResult,
    Revision,
    RouteAdvice,
    Stats,
    Status,
    read,
)
from graphmem.client.subscription import Subscription
from graphmem.client.transport import Request, Transport

URL: Final = "http://127.0.0.1:8321"
TIMEOUT_S: Final = 60.0  # twice what an operation may take
ATTEMPTS: Final = 4


class Memory:
    """A client that may be used from any thread. Every method raises `ServiceError`.

    A request that fails because the service does not answer is tried again if that does no harm: a
    write carries an idempotency key, so that it is done once however often it is sent."""

    def __init__(
        self,
        url: str = URL,
        *,
        user: str | None = None,
        agent: str | None = None,
        key: str | None = None,
        timeout: float = TIMEOUT_S,
        attempts: int = ATTEMPTS,
    ) -> None:
        """Connect to a service. `key` (`gm_…`) says who asks; if the service needs no key, `user`
        and `agent` do. `timeout` is in seconds."""
        given = {"X-Graphmem-User": user, "X-Graphmem-Agent": agent}
        headers = {name: value for name, value in given.items() if value is not None}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self.url = url
        self._transport = Transport(url, headers, timeout_s=timeout, attempts=attempts)
        self._service: EmbeddedService | None = None

    @classmethod
    def embedded(
        cls,
        data: str | os.PathLike[str] | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        start_timeout: float = 600.0,
        **given: Any,
    ) -> Self:
        """Start a service with its own Neo4j and return a client for it; `close` stops the service.
        `data` is the folder for its data, `settings` are further GRAPHMEM_* variables, `given` is
        passed to `Memory`. The first start downloads Neo4j. Raises NotAvailable."""
        folder = None if data is None else Path(data)
        service = EmbeddedService(folder, settings or {})
        memory = cls(service.start(start_timeout), **given)
        memory._service = service
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, and stop the service that was started for it."""
        self._transport.close()
        if self._service is not None:
            self._service.stop()

    # ------------------------------------------------------------ memory

    def remember(
        self, content: str, *, idempotency_key: str | None = None, **given: Any
    ) -> Remembered:
        """Remember one note. `given` are the other fields of `POST /v1/remember`, in snake_case:
        title, tags, domain, visibility, metadata, expires_at, ttl_seconds, mode and so on."""
        request = requests.remember(content, idempotency_key, given)
        return read(Remembered, self._transport.send(request))

    def remember_many(
        self,
        notes: Iterable[str | Mapping[str, Any]],
        *,
        mode: str | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[RememberResult, ...]:
        """Remember up to 500 notes, each a text or the fields of `remember`. An invalid note
        becomes an `error` in its result."""
        response = self._transport.send(requests.remember_many(notes, mode, idempotency_key))
        return tuple(read(RememberResult, each) for each in response["results"])

    def recall(self, query: str, k: int | None = None, **given: Any) -> Recall:
        """Return the notes that answer a question. `given` are the other fields of `POST
        /v1/recall`: profile, filter, hops, deep, as_of, min_score, explain, track and so on."""
        response = self._transport.send(
            requests.post("/v1/recall", {"query": query, "k": k, **given})
        )
        return read(Recall, response)

    def context(self, task: str, token_budget: int | None = None, **given: Any) -> ContextPackage:
        """Return the best of the memory for a task, as a text for a prompt."""
        body = {"task": task, "token_budget": token_budget, **given}
        return read(ContextPackage, self._transport.send(requests.post("/v1/context", body)))

    def feedback(self, recall_id: str, used: Iterable[str], *, helpful: bool = True) -> None:
        """Say which notes of a recall were used, and whether they helped."""
        body = {"recall_id": recall_id, "used": list(used), "helpful": helpful}
        self._transport.send(requests.post("/v1/feedback", body))

    def forget(
        self, id: str, *, permanent: bool = False, reason: str | None = None
    ) -> ForgetResult:
        """Archive a note, or destroy it for good."""
        return read(ForgetResult, self._transport.send(requests.forget(id, permanent, reason)))

    def forget_matching(self, query: str, *, confirm: bool = False, **given: Any) -> ForgetResult:
        """Return what a query would forget; with `confirm`, forget it."""
        body = {"query": query, "confirm": confirm, **given}
        request = requests.post("/v1/forget", body, repeatable=not confirm)
        return read(ForgetResult, self._transport.send(request))

    # ------------------------------------------------------------ notes

    def note(self, id: str) -> Note:
        """Return one note."""
        return read(Note, self._transport.send(requests.get(requests.note(id))))

    def find(self, external_id: str) -> Note:
        """Return the note with an external id of yours. Raises NotThere."""
        request = requests.get("/v1/note", {"external_id": external_id})
        return read(Note, self._transport.send(request))

    def notes(self, *, page_size: int = 50, **given: Any) -> Iterator[Note]:
        """Yield all readable notes, newest first, page by page. `given` are the fields of a filter:
        domain, tags, kinds, types, statuses, entity, author, episode, text, since, until."""
        after = None
        while True:
            page = self.note_page(first=page_size, after=after, **given)
            yield from page.notes
            if not page.page_info.has_next_page:
                return
            after = page.page_info.end_cursor

    def note_page(self, *, first: int = 50, after: str | None = None, **given: Any) -> NotePage:
        """Return a page of notes."""
        query = {"first": first, "after": after, **given}
        return read(NotePage, self._transport.send(requests.get("/v1/notes", query)))

    def revise(self, id: str, *, expected_version: int | None = None, **given: Any) -> Note:
        """Change content, title, tags, domain, importance or validity. Raises Conflicting when the
        note no longer has the expected version."""
        return read(Note, self._transport.send(requests.revise(id, expected_version, given)))

    def restore(self, id: str) -> Note:
        """Bring an archived note back."""
        return read(Note, self._transport.send(requests.post(requests.note(id, "/restore"), {})))

    def pin(self, id: str, *, pinned: bool = True) -> Note:
        """Pin a note, so that it never decays, or let it decay again."""
        request = requests.post(requests.note(id, "/pin"), {"pinned": pinned})
        return read(Note, self._transport.send(request))

    def history(self, id: str, first: int = 20) -> tuple[Revision, ...]:
        """Return the versions of a note that may be read, newest first, each with its text."""
        data = answer_of(self._transport.send(requests.history(id, first)))
        return tuple(read(Revision, each) for each in data["note"]["revisions"])

    def entity(self, name: str | None = None, *, id: str | None = None) -> Entity:
        """Read an entity that notes mention, by one of its names or its id. Raises NotThere."""
        request = requests.get("/v1/entity", {"name": name, "id": id})
        return read(Entity, self._transport.send(request))

    # ------------------------------------------------------------ who knows

    def experts(self, topic: str, first: int | None = None) -> tuple[Expert, ...]:
        """Find who knows about a topic, most certain first."""
        answer = self._transport.send(requests.get("/v1/experts", {"topic": topic, "first": first}))
        return tuple(read(Expert, each) for each in answer["experts"])

    def route(self, task: str) -> RouteAdvice:
        """Find which agent should do a task, and why."""
        return read(RouteAdvice, self._transport.send(requests.post("/v1/route", {"task": task})))

    def consult(
        self, question: str, *, topic: str | None = None, k: int | None = None, **given: Any
    ) -> Consultation:
        """Ask one's own memory, then the experts as far as they share theirs, then the commons."""
        body = {"question": question, "topic": topic, "k": k, **given}
        return read(Consultation, self._transport.send(requests.post("/v1/consult", body)))

    # ------------------------------------------------------------ the service

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the JSON answer of any other resource of REST; names of fields are those of REST.
        Only a GET is tried again."""
        asked = Request(
            method=method, path=path, body=body, query=query or {}, repeatable=method == "GET"
        )
        return self._transport.send(asked)

    def agents(self) -> tuple[Agent, ...]:
        """Return the agents of the user."""
        response = self._transport.send(requests.get("/v1/agents"))
        return tuple(read(Agent, each) for each in response["agents"])

    def stats(self) -> Stats:
        """Return counts of the readable notes, by domain, visibility, status and so on."""
        return read(Stats, self._transport.send(requests.get("/v1/stats")))

    def status(self) -> Status:
        """Return the state of the service and of its database."""
        return read(Status, self._transport.send(requests.get("/v1/status")))

    def events(self, after: int | None = None, **given: Any) -> Subscription:
        """Return the changes from now on, or from after an event's `seq` on: an iterator of events
        that reconnects by itself. `given`: channels, types, domain."""
        return Subscription(self._transport, after, given)
