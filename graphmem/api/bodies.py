"""Bodies of requests: the owner of the key is found first, then the headers are read, and only then
the body.

If a key is needed, nothing is read of a request without one, whatever its route is. A body is
counted as it comes in, against the limit of one request and against the budget of the process, and
is released when the request has ended, in whatever way. A refused request gets its answer at once;
then a little of what its client still sends is thrown away, or it would miss the answer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphmem.api.errors import refusal_response
from graphmem.errors import GraphmemError, TooLarge
from graphmem.operations.authentication import ADMITTED
from graphmem.operations.bodies import BodyBudget
from graphmem.operations.codes import Failure, failure_of
from graphmem.operations.holding import HOLDING, Holding
from graphmem.operations.limits import BODY_BYTES
from graphmem.operations.shares import Shares

DRAIN_SECONDS = 5.0
LINGER_SECONDS = 1.0
DRAIN_BYTES: Final = 128 * 1024  # of a caller without a key; of others, four times the limit
READING: Final = ("GET", "HEAD")  # their endpoints check the key themselves, if one is needed

Admit = Callable[[Scope], Awaitable[None]]  # puts ADMITTED into the scope; raises Unauthenticated
Refusal = Callable[[Scope, Failure], Response | None]


async def admit_all(scope: Scope) -> None:
    """Admit everybody: nobody needs a key."""
    scope[ADMITTED] = None


class Bodies:
    """Keeps bodies from the application until their sender is known, and limits them."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        limit: int = BODY_BYTES,
        budget: BodyBudget | None = None,
        connections: Shares | None = None,
        admit: Admit = admit_all,
        refusals: Sequence[Refusal] = (),
    ) -> None:
        """Wrap an application. `connections` are those of each user; `refusals` build the answers
        for the paths that they know."""
        self.app = app
        self.limit = limit
        self.budget = budget or BodyBudget(body_limit=limit)
        self.connections = connections
        self.admit = admit
        self.refusals = refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        holding = scope[HOLDING] = Holding(self.budget, self.connections)
        try:
            await self._serve(scope, receive, send)
        finally:
            holding.release()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["method"] not in READING:
                await self.admit(scope)
                length = Headers(scope=scope).get("content-length", "")[:20]
                self.check(int(length) if length.isdecimal() else 0)
        except Exception as error:
            await self._refuse(error, scope, receive, send)
            return
        await self._count(scope, receive, send)

    async def _count(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = _Body(self, scope, receive)
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if body.refused is None or started:  # else the answer is ours
                started = True
                await send(message)

        try:
            await self.app(scope, body.receive, answer)
        except Exception:  # the refusal itself, or a group with it
            if body.refused is None:
                raise
        if body.refused is not None and not started:
            await self._refuse(body.refused, scope, receive, send)

    def check(self, size: int) -> None:
        """Raise TooLarge for the size of a body that is over the limit."""
        if size > self.limit:
            raise TooLarge(f"The body has more than {self.limit} bytes", limit=self.limit)

    async def _refuse(self, error: Exception, scope: Scope, receive: Receive, send: Send) -> None:
        response = self._build_answer(failure_of(error), scope)
        headers = Headers(scope=scope)
        if "transfer-encoding" not in headers and headers.get("content-length", "0") == "0":
            await response(scope, receive, send)
            return
        response.headers["Connection"] = "close"
        start = {"type": "http.response.start", "status": response.status_code}
        await send({**start, "headers": response.raw_headers})
        await send({"type": "http.response.body", "body": response.body, "more_body": True})
        if "expect" not in headers:  # else the client waits for "100 Continue", and gets none
            await self._drain(receive, 4 * self.limit if ADMITTED in scope else DRAIN_BYTES)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _build_answer(self, failure: Failure, scope: Scope) -> Response:
        shaped = (refusal(scope, failure) for refusal in self.refusals)
        found = next((each for each in shaped if each is not None), None)
        return found or refusal_response(scope, failure)

    async def _drain(self, receive: Receive, most: int) -> None:
        """Throw away what comes in. A slow or endless client loses the connection, after a moment
        in which it can read the answer and nothing is taken."""
        drained = 0
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while drained <= most:
                    message = await receive()
                    drained += len(message.get("body", b""))
                    if message["type"] != "http.request" or not message.get("more_body"):
                        return
                await asyncio.sleep(LINGER_SECONDS)
        except TimeoutError:
            pass


class _Body:
    """A body that is counted while it comes in."""

    def __init__(self, bodies: Bodies, scope: Scope, receive: Receive) -> None:
        self._bodies, self._scope, self._receive = bodies, scope, receive
        self._size = 0
        self.refused: GraphmemError | None = None

    async def receive(self) -> Message:
        """Return the next item. Raises GraphmemError for a refused body, and again for each later
        call."""
        if self.refused is not None:
            raise self.refused
        try:
            return await self._next()
        except GraphmemError as error:
            self.refused = error
            raise

    async def _next(self) -> Message:
        holding: Holding = self._scope[HOLDING]  # shared by copies of the scope
        if ADMITTED not in self._scope and not holding.is_known:
            await self._bodies.admit(self._scope)
        message = await self._receive()
        size = len(message.get("body", b""))
        self._size += size
        self._bodies.check(self._size)
        holding.take(size)
        return message
