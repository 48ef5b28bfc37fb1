"""Who asks: what a request says of it, and the authenticators that decide.

A protocol makes `Credentials` of a request's headers and hands them to the authenticator of the
service, which is one for all protocols."""

import time
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, Self

from graphmem.errors import Forbidden, Unauthenticated
from graphmem.operations.holding import HOLDING
from graphmem.operations.rates import Rates
from graphmem.operations.shares import EACH, Shares
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.keys import Identity, authenticate, key_id_of

USER_HEADER: Final = "x-graphmem-user"
AGENT_HEADER: Final = "x-graphmem-agent"
AUTHORIZATION: Final = "authorization"
CLIENT_HEADER: Final = "x-graphmem-client"
SITE_HEADER: Final = "sec-fetch-site"
ADMITTED: Final = "graphmem.admitted"  # in the scope of a request: whose key it has
FRESH_S: Final = 1.0  # how long a key that was found valid counts without being looked at again
_BEARER: Final = "bearer "


class Admitted:
    """Whom a key lets in, found before anything else of its request was read. It counts once, and
    only for a moment: while a slow body comes in, the key may be revoked."""

    def __init__(self, identity: Identity, clock: Callable[[], float] = time.monotonic) -> None:
        self.user = identity.user
        self._identity: Identity | None = identity
        self._clock, self._since = clock, clock()

    def take(self) -> Identity | None:
        """Return the identity; None where it has to be found again."""
        identity, self._identity = self._identity, None
        return identity if self._clock() - self._since <= FRESH_S else None


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """What a request says of who asks."""

    user: str | None = None
    agent: str | None = None
    authorization: str | None = field(default=None, repr=False)
    admitted: Admitted | None = field(default=None, repr=False, compare=False)
    """whom its key was found to let in, where it was looked at already"""

    @classmethod
    def of(cls, *sources: Mapping[str, object], admitted: Admitted | None = None) -> Self:
        """From headers, or what stands for them, by names in lower case; the first source that has
        a name counts."""

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
        """How often one may ask; None: as often as one likes."""
        ...

    @property
    def streams(self) -> Shares:
        """The streams that each user may have."""
        ...

    def payer(self, given: Credentials) -> str:
        """By what it is counted how often one asks: nothing that who asks may choose at will."""
        ...

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Look at the key alone, before anything else of a request is; None where none is needed.
        Raises Unauthenticated."""
        ...

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the access of who asks, as it is now; without `traces` nothing is written for it.
        Raises Unauthenticated, and Invalid for ids with odd characters."""
        ...


@dataclass(frozen=True)
class OpenAuthenticator:
    """Believes what the request says: for a service that only this machine reaches. Unknown users
    and agents are registered on first use. The user in person is an admin.

    It needs no key, but one that is given counts, so that a wrong one is not taken for a right
    one."""

    default_user: str
    rates: Rates | None = None
    streams: Shares = field(default_factory=Shares, compare=False)

    def payer(self, given: Credentials) -> str:
        """Return the key, else the user: an agent's name is anything."""
        return key_id_of(_key_in(given) or "") or given.user or self.default_user

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Nobody needs a key."""
        return None

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the access of whom the key was made for, if there is one; else of the user and
        agent that are named."""
        if _key_in(given) is not None:
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
        """Return the key: of one user in person, who may ask as any agent, it is one, too."""
        return key_id_of(_key_in(given) or "") or ""

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Whom the key was made for."""
        if _key_in(given) is None:
            raise Unauthenticated  # also while the service starts
        return Admitted(await self._identity(service(), given))

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the access of who the key was made for."""
        identity = given.admitted.take() if given.admitted else None
        identity = identity or await self._identity(service, given)
        return await open_access(service, identity.user, identity.agent, admin=identity.admin)

    async def _identity(self, service: Context, given: Credentials) -> Identity:
        key = _key_in(given)
        if key is None:
            raise Unauthenticated
        return await authenticate(service, key)


def _key_in(given: Credentials) -> str | None:
    value = given.authorization
    if value is None or not value.lower().startswith(_BEARER):
        return None
    return value[len(_BEARER) :].strip()


@dataclass(frozen=True)
class ActingAs:
    """Opens the access of an agent that a request names beside its credentials: a user in person
    may ask as an agent of their own, and an agent as no other one."""

    authenticator: Authenticator
    agent: str

    @property
    def rates(self) -> Rates | None:
        """The streams of the authenticator."""
        return self.authenticator.rates

    @property
    def streams(self) -> Shares:
        """Those of the authenticator."""
        return self.authenticator.streams

    def payer(self, given: Credentials) -> str:
        """Name the user who asks, whatever agent is named."""
        return self.authenticator.payer(given)

    async def admit(self, service: Callable[[], Context], given: Credentials) -> Admitted | None:
        """Whom the key was made for."""
        return await self.authenticator.admit(service, given)

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """Return the agent's access. Raises Forbidden when the credentials are those of another
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
    """Look at the key in the headers of a request, and put whom it lets in into the scope, unless
    that was done. Raises Unauthenticated, and RateLimited for a user with too many requests."""
    if ADMITTED not in scope:
        # Of a header that is sent twice the first one counts, as everywhere else.
        pairs = reversed(scope["headers"])
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
        admitted = await authenticator.admit(service, Credentials.of(headers))
        if admitted is not None and (request := scope.get(HOLDING)) is not None:
            request.known(admitted.user)
        scope[ADMITTED] = admitted


def of_a_program(headers: Mapping[str, str]) -> bool:
    """Tell if a request shows that no page of another site made a browser send it: it has a header
    that such a page can send only after a preflight, which is never granted, and no browser names
    another site. A password that is part of an address is no such header; a key is."""
    named = bool(headers.get(CLIENT_HEADER, "").strip())
    with_key = headers.get(AUTHORIZATION, "").lower().startswith(_BEARER)
    # All of them, where a header is sent more than once.
    sites = {value.strip() for name, value in headers.items() if name.lower() == SITE_HEADER}
    return (named or with_key) and sites <= {"same-origin"}


def authenticator_of(
    auth: str, default_user: str, rate_limit: int | None = None, streams: int = EACH
) -> Authenticator:
    """Return the authenticator of a mode, `open` or `keys`; `rate_limit`: operations a minute;
    `streams`: of each user at the same time."""
    rates = None if rate_limit is None else Rates(rate_limit)
    shares = Shares(streams, "streams")
    if auth == "open":
        return OpenAuthenticator(default_user, rates, shares)
    return KeyAuthenticator(rates, shares)
