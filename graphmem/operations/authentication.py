"""Who asks: what a request says of it, and the authenticators that decide.

A protocol makes `Credentials` of a request's headers and hands them to the authenticator of the
service, which is one for all protocols."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, Self

from graphmem.errors import Forbidden, Unauthenticated
from graphmem.operations.rates import Rates
from graphmem.services.actors import open_access
from graphmem.services.context import Access, Context
from graphmem.services.keys import authenticate

USER_HEADER: Final = "x-graphmem-user"
AGENT_HEADER: Final = "x-graphmem-agent"
AUTHORIZATION: Final = "authorization"
_BEARER: Final = "bearer "


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """What a request says of who asks."""

    user: str | None = None
    agent: str | None = None
    authorization: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, *sources: Mapping[str, object]) -> Self:
        """From headers, or what stands for them, by names in lower case; the first source that has
        a name counts."""

        def text(name: str) -> str | None:
            value = next((source[name] for source in sources if name in source), None)
            return value if isinstance(value, str) and value else None

        return cls(
            user=text(USER_HEADER), agent=text(AGENT_HEADER), authorization=text(AUTHORIZATION)
        )


class Authenticator(Protocol):
    """Decides who asks."""

    @property
    def rates(self) -> Rates | None:
        """How often one may ask; None: as often as one likes."""
        ...

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """The access of who asks, as it is now; without `traces` nothing is written for it. Raises
        Unauthenticated, and Invalid for ids with odd characters."""
        ...


@dataclass(frozen=True)
class OpenAuthenticator:
    """Believes what the request says: for a service that only this machine reaches. Unknown users
    and agents are registered on first use. The user in person is an admin."""

    default_user: str
    rates: Rates | None = None

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """The access of the user and agent that are named."""
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

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """The access of who the key was made for."""
        value = given.authorization
        if value is None or not value.lower().startswith(_BEARER):
            raise Unauthenticated
        identity = await authenticate(service, value[len(_BEARER) :].strip())
        return await open_access(service, identity.user, identity.agent, admin=identity.admin)


@dataclass(frozen=True)
class ActingAs:
    """Opens the access of an agent that a request names beside its credentials: a user in person
    may ask as an agent of their own, and an agent as no other one."""

    authenticator: Authenticator
    agent: str

    @property
    def rates(self) -> Rates | None:
        """Those of the authenticator."""
        return self.authenticator.rates

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """The agent's access. Raises Forbidden when the credentials are those of another agent."""
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


class AlreadyOpen:
    """Gives an access that was opened for this very request, and anew what is asked for later."""

    def __init__(self, authenticator: Authenticator, access: Access) -> None:
        self._authenticator = authenticator
        self._access: Access | None = access

    @property
    def rates(self) -> Rates | None:
        """Those of the authenticator."""
        return self._authenticator.rates

    async def open(self, service: Context, given: Credentials, *, traces: bool = True) -> Access:
        """The access. Raises what the authenticator does."""
        access, self._access = self._access, None
        return access or await self._authenticator.open(service, given, traces=traces)


def authenticator_of(auth: str, default_user: str, rate_limit: int | None = None) -> Authenticator:
    """The authenticator of a mode, `open` or `keys`; `rate_limit`: operations a minute."""
    rates = None if rate_limit is None else Rates(rate_limit)
    return OpenAuthenticator(default_user, rates) if auth == "open" else KeyAuthenticator(rates)
