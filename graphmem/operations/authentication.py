"""Authentication: what a request says about who asks, and the authenticators that decide.

A protocol makes `Credentials` from a request's headers and passes them to the authenticator of the
service, which is the same for all protocols."""

import time
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, Self

from graphmem.errors import Forbidden, Unauthenticated, Unavailable
from graphmem.operations.holding import HOLDING
from graphmem.operations.rates import Rates
from graphmem.operations.shares import EACH, Shares
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.keys import Identity, authenticate, key_id_of
from graphmem.services.meter import REFUSALS

USER_HEADER: Final = "x-graphmem-user"
AGENT_HEADER: Final = "x-graphmem-agent"
AUTHORIZATION: Final = "authorization"
CLIENT_HEADER: Final = "x-graphmem-client"
SITE_HEADER: Final = "sec-fetch-site"
ADMITTED: Final = "graphmem.admitted"  # in the scope of a request: the owner of its key
FRESH_S: Final = 1.0  # how long a key that was found valid is not checked again
_BEARER: Final = "bearer "


class Admitted:
    """The owner of a key, found before anything else of the request was read. It counts once, and
    only for a moment: while a slow body comes in, the key may be revoked."""

    def __init__(self, identity: Identity, clock: Callable[[], float] = time.monotonic) -> None:
        self.user = identity.user
        self._identity: Identity | None = identity
        self._clock, self._since = clock, clock()

    def take(self) -> Identity | None:
        """Return the identity, or None if it has to be looked up again."""
        identity, self._identity = self._identity, None
        return identity if self._clock() - self._since <= FRESH_S else None


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """The statements of a request about who asks."""

    user: str | None = None
    agent: str | None = None
    authorization: str | None = field(default=None, repr=False)
    admitted: Admitted | None = field(default=None, repr=False, compare=False)
    """the owner of its key, if the key was checked already"""

    @classmethod
    def of(cls, *sources: Mapping[str, object], admitted: Admitted | None = None) -> Self:
        """Return the credentials from headers, or what stands for them, by names in lower case; the
        first source that has a name counts."""

        def text(name: str) -> str | None:
            value = next((source[name] for source in sources if name in source), None)
            return value if isinstance(value, str) and value else None

        return cls(
            user=text(USER_HEADER),
            agent=text(AGENT_HEADER),
            authorization=text(AUTHORIZATION),
            admitted=admitted,
        )


class Authenticator(Protocol):
    """Decides who asks."""

    @property
    def rates(self) -> Rates | None:
        """The limit on how often a user may ask; None: no limit."""
        ...

    @property
    def streams(self) -> Shares:
        """The streams that each user may have."""
        ...

    def payer(self, given: Credentials) -> str:
        """Return the name under which requests are counted, which the caller cannot choose
        freely."""
        ...

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Check the key alone, before anything else of a request; return None if no key is needed.
        Raises Unauthenticated."""
        ...

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the present access of who asks; without `traces` nothing is written for it. Raises
        Unauthenticated, and Invalid for ids with odd characters."""
        ...


@dataclass(frozen=True)
class OpenAuthenticator:
    """Believes what the request says: for a service that only this machine reaches. Unknown users
    and agents are registered on first use. The user in person is an admin.

    It needs no key, but a given key is checked, so that a wrong one is not taken for a right
    one."""

    default_user: str
    rates: Rates | None = None
    streams: Shares = field(default_factory=Shares, compare=False)

    def payer(self, given: Credentials) -> str:
        """Return the key, else the user: an agent's name can be chosen at will."""
        return key_id_of(_find_key(given) or "") or given.user or self.default_user

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Return None: nobody needs a key."""
        return None

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the access of the owner of the key if there is one, else of the named user and
        agent."""
        if _find_key(given) is not None:
            return await KeyAuthenticator().open(service, given)
        return await open_access(
            service,
            given.user or self.default_user,
            given.agent,
            admin=given.agent is None,
            register=traces,
            admit=not traces,
        )


@dataclass(frozen=True)
class KeyAuthenticator:
    """Believes a key (`Authorization: Bearer gm_...`), and nothing else of the request."""

    rates: Rates | None = None
    streams: Shares = field(default_factory=Shares, compare=False)

    def payer(self, given: Credentials) -> str:
        """Return the id of the key: the key of a user in person, who may ask as any agent, is one
        too."""
        return key_id_of(_find_key(given) or "") or ""

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Return the owner of the key."""
        if _find_key(given) is None:
            raise Unauthenticated  # also while the service starts
        return Admitted(await self._identity(service(), given))

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the access of the owner of the key."""
        identity = given.admitted.take() if given.admitted else None
        identity = identity or await self._identity(service, given)
        return await open_access(service, identity.user, identity.agent, admin=identity.admin)

    async def _identity(self, service: Context, given: Credentials) -> Identity:
        key = _find_key(given)
        if key is None:
            raise Unauthenticated
        return await authenticate(service, key)


def _find_key(given: Credentials) -> str | None:
    value = given.authorization
    if value is None or not value.lower().startswith(_BEARER):
        return None
    return value[len(_BEARER) :].strip()


@dataclass(frozen=True)
class ActingAs:
    """Opens the access of an agent that a request names next to its credentials: a user in person
    may ask as one of their agents, and an agent only as itself."""

    authenticator: Authenticator
    agent: str

    @property
    def rates(self) -> Rates | None:
        """The limit of the authenticator."""
        return self.authenticator.rates

    @property
    def streams(self) -> Shares:
        """The streams of the authenticator."""
        return self.authenticator.streams

    def payer(self, given: Credentials) -> str:
        """Return the user who asks, whatever agent is named."""
        return self.authenticator.payer(given)

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Return the owner of the key."""
        return await self.authenticator.admit(service, given)

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the agent's access. Raises Forbidden when the credentials belong to another
        agent."""
        named = replace(given, agent=given.agent or self.agent)
        access = await self.authenticator.open(service, named, traces=traces)
        viewer = access.viewer
        if viewer.agent is None:
            return await open_access(
                service, viewer.user, self.agent, register=traces, admit=not traces
            )
        if viewer.agent.id != self.agent:
            raise Forbidden("this connection is that of another agent")
        return access


async def admit(
    scope: MutableMapping[str, Any],
    service: Callable[[], Context],
    authenticator: Authenticator,
) -> None:
    """Check the key in the headers of a request, and put its owner into the scope, unless that was
    done before. Raises Unauthenticated, and RateLimited for a user with too many requests."""
    if ADMITTED not in scope:
        # If a header is sent twice, the first one counts, as everywhere else.
        pairs = reversed(scope["headers"])
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
        try:
            admitted = await authenticator.admit(service, Credentials.of(headers))
        except Unauthenticated as error:
            with suppress(Unavailable):  # while the service starts nothing is counted
                service().meter.count(REFUSALS, error.code)
            raise
        if admitted is not None and (request := scope.get(HOLDING)) is not None:
            request.set_user(admitted.user)
        scope[ADMITTED] = admitted


def of_a_program(headers: Mapping[str, str]) -> bool:
    """Return True if a request shows that no page of another site made a browser send it: it has a
    header that such a page can send only after a preflight, which is never granted, and no browser
    names another site. A password that is part of an address is not such a header; a key is."""
    named = bool(headers.get(CLIENT_HEADER, "").strip())
    with_key = headers.get(AUTHORIZATION, "").lower().startswith(_BEARER)
    # All of them, if a header is sent more than once.
    sites = {value.strip() for name, value in headers.items() if name.lower() == SITE_HEADER}
    return (named or with_key) and sites <= {"same-origin"}


def authenticator_of(
    auth: str, default_user: str, rate_limit: int | None = None, streams: int = EACH
) -> Authenticator:
    """Return the authenticator of a mode, `open` or `keys`; `rate_limit` is in operations a minute;
    `streams` is the number that each user may have at the same time."""
    rates = None if rate_limit is None else Rates(rate_limit)
    shares = Shares(streams, "streams")
    if auth == "open":
        return OpenAuthenticator(default_user, rates, shares)
    return KeyAuthenticator(rates, shares)
