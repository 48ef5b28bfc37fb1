"""The texts that wait for a local model, and the order in which it takes them.

Questions go first, together; documents go in small pieces of similar length, so that a question
never waits longer than one piece. After a few rounds of questions one piece of documents has its
turn. A model that gains nothing from batches takes single texts instead, in several threads."""

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from graphmem.errors import Unavailable

_QUESTIONS_AT_ONCE: Final = 64  # texts
_DOCUMENTS_AT_ONCE: Final = 32  # texts
_PIECE_SIZE: Final = 4_096  # texts times characters of the longest: about 0.2 s on two cores
_LONGEST_SEEN: Final = 1_024  # characters; a model reads about that much of a longer text
_ROUNDS_OF_QUESTIONS: Final = 4


@dataclass(slots=True, eq=False)
class WorkRequest:
    """Texts of one caller; `done` gets their vectors, in order, or the error."""

    texts: Sequence[str]
    question: bool
    done: "Future[list[list[float]]]" = field(default_factory=Future)
    vectors: list[list[float]] = field(init=False)
    missing: int = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self.vectors = [[] for _ in self.texts]
        self.missing = len(self.texts)

    def put(self, index: int, vector: list[float]) -> None:
        """Store one vector; the last one completes the caller's answer."""
        self.vectors[index] = vector
        with self._lock:  # texts of one request may be embedded by several threads
            self.missing -= 1
            complete = self.missing == 0
        if complete:
            with suppress(InvalidStateError):  # the caller gave up
                self.done.set_result(self.vectors)

    def fail(self, error: Exception) -> None:
        """Notify the caller that no answer comes."""
        with suppress(InvalidStateError):  # the caller gave up, or got an error already
            self.done.set_exception(error)


@dataclass(frozen=True, slots=True, eq=False)
class WorkItem:
    """One text of a request."""

    request: WorkRequest
    index: int

    @property
    def text(self) -> str:
        """The text to embed."""
        return self.request.texts[self.index]


class WorkQueue:
    """Takes requests, gives out batches; the one place where event loop and worker threads meet."""

    def __init__(self) -> None:
        self._questions: deque[WorkItem] = deque()
        self._documents: deque[WorkItem] = deque()
        self._rounds = 0  # of questions, since documents had a turn
        self._closed = False
        self._changed = threading.Condition()

    def submit(self, request: WorkRequest) -> None:
        """Add a request; raise Unavailable after `close`."""
        # A request's own texts are sorted: equal lengths need no padding.
        order = sorted(range(len(request.texts)), key=lambda index: len(request.texts[index]))
        with self._changed:
            if self._closed:
                raise Unavailable("The embedder is closed.")
            waiting = self._questions if request.question else self._documents
            waiting.extend(WorkItem(request, index) for index in order)
            self._changed.notify_all()

    def take(self, *, single: bool = False) -> list[WorkItem]:
        """Wait for the next batch, or for a single text.

        Empty when all is done and the queue closed."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._questions or self._documents or self._closed)
                if batch := self._take_batch(single):
                    return batch
                if self._closed and not self._questions and not self._documents:
                    return []

    def close(self) -> None:
        """Refuse further requests; waiting texts are still handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _take_batch(self, single: bool) -> list[WorkItem]:
        """Take a batch, or a single text, from the kind whose turn it is."""
        turn_of_documents = self._documents and self._rounds >= _ROUNDS_OF_QUESTIONS
        if self._questions and not turn_of_documents:
            self._rounds += 1
            return _take_piece(self._questions, 1 if single else _QUESTIONS_AT_ONCE)
        self._rounds = 0
        return _take_piece(self._documents, 1 if single else _DOCUMENTS_AT_ONCE)


def _take_piece(waiting: deque[WorkItem], most: int) -> list[WorkItem]:
    """Take texts from the front, as many as make a batch of bounded size, at least one."""
    piece: list[WorkItem] = []
    longest = 0
    while waiting and len(piece) < most:
        item = waiting[0]
        if item.request.done.done():  # given up, or failed with another of its texts
            waiting.popleft()
            continue
        longest = max(longest, min(len(item.text), _LONGEST_SEEN))
        if piece and longest * (len(piece) + 1) > _PIECE_SIZE:
            break
        piece.append(waiting.popleft())
    return piece
