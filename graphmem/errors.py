"""Every error that graphmem raises on purpose; each has a code that all protocols map.

GraphmemError
├── Invalid            BAD_USER_INPUT      the caller's input is wrong; nothing was changed
├── Unauthenticated    UNAUTHENTICATED     no key, or one that is wrong, expired or revoked
├── Forbidden          FORBIDDEN           the viewer may not do this
├── NotFound           NOT_FOUND           not there, or not for this viewer to know of
├── Conflict           CONFLICT            somebody else was first
│   └── Stale          CONFLICT            while this was going on; a repetition may succeed
├── RateLimited        RATE_LIMITED        asked for more often than it may be
├── TooLarge           PAYLOAD_TOO_LARGE   the request is over a fixed limit
├── TimedOut           OPERATION_TIMEOUT   it took longer than the operation may
├── Unavailable        UNAVAILABLE         a part that graphmem needs does not answer; try again
│   └── IndexMissing   UNAVAILABLE         an index of the graph is gone or not made yet
└── Misconfigured      (start only)        graphmem can't start as it is set up

A message of these errors may reach a client, so it never holds another viewer's text, a secret or
the words of a database driver.
"""

from typing import ClassVar


class GraphmemError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "INTERNAL_SERVER_ERROR"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None, **details: str | int) -> None:
        """Keep the message (default: the docstring) and details safe to show to the caller."""
        self.message = message or (type(self).__doc__ or "").strip()
        self.details = details
        super().__init__(self.message)


class Invalid(GraphmemError):
    """The input is not valid."""

    code = "BAD_USER_INPUT"


class Unauthenticated(GraphmemError):
    """A valid key is needed."""

    code = "UNAUTHENTICATED"


class Forbidden(GraphmemError):
    """The viewer may not do this."""

    code = "FORBIDDEN"


class BeingErased(Forbidden):
    """The user is being erased."""


class NotFound(GraphmemError):
    """Not found."""

    code = "NOT_FOUND"


class Conflict(GraphmemError):
    """Somebody else was first."""

    code = "CONFLICT"


class Stale(Conflict):
    """Somebody else changed it at the same time."""


class TooLarge(GraphmemError):
    """The request is too large."""

    code = "PAYLOAD_TOO_LARGE"


class RateLimited(GraphmemError):
    """Too many operations in a short time; try again later."""

    code = "RATE_LIMITED"
    retryable = True


class TimedOut(GraphmemError):
    """The operation took too long."""

    code = "OPERATION_TIMEOUT"
    retryable = True


class Unavailable(GraphmemError):
    """The service can't answer now; try again."""

    code = "UNAVAILABLE"
    retryable = True


class IndexMissing(Unavailable):
    """An index of the graph is missing or being made; try again later."""


class Misconfigured(GraphmemError):
    """graphmem can't start as it is set up."""
