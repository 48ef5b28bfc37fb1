"""Who asks: what is taken of a request, and what an authenticator makes of it."""

from typing import Any

import pytest

from graphmem.errors import Unauthenticated
from graphmem.operations import authentication
from graphmem.operations.authentication import (
    Credentials,
    KeyAuthenticator,
    OpenAuthenticator,
    authenticator_of,
)
from graphmem.operations.operation import open_operation
from graphmem.services.callers import Callers


class Service:
    """Remembers whether it may leave traces."""

    def __init__(self, traces: bool = True) -> None:
        self.traces = traces
        self.callers = Callers()

    def without_traces(self) -> "Service":
        return Service(traces=False)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What access was opened for."""
    calls: list[tuple[Any, ...]] = []

    async def open_access(service: Any, user: str, agent: str | None, **rights: bool) -> object:
        calls.append((service.traces, user, agent, rights))
        return len(calls)

    monkeypatch.setattr(authentication, "open_access", open_access)
    return calls


def test_the_first_source_that_has_a_name_counts():
    params = {"x-graphmem-user": "ada", "authorization": 5}
    headers = {"x-graphmem-user": "mara", "x-graphmem-agent": "", "authorization": "Bearer gm_x"}
    assert Credentials.of(params, headers) == Credentials(user="ada")
    assert Credentials.of({}, headers) == Credentials(user="mara", authorization="Bearer gm_x")


def test_a_key_is_not_printed():
    assert "gm_x" not in repr(Credentials(authorization="Bearer gm_x"))


def test_the_mode_chooses_the_authenticator():
    assert authenticator_of("open", "me") == OpenAuthenticator("me")
    assert authenticator_of("keys", "me") == KeyAuthenticator()


@pytest.mark.parametrize("value", [None, "gm_x", "Basic gm_x", "Bearer"])
async def test_without_a_key_nobody_is_let_in(value: str | None):
    service: Any = Service()
    with pytest.raises(Unauthenticated):
        await KeyAuthenticator().open(service, Credentials(user="me", authorization=value))


async def test_open_believes_the_names_and_registers(opened: list[tuple[Any, ...]]):
    service: Any = Service()
    ask = OpenAuthenticator("me")
    await open_operation(service, ask, Credentials())
    await open_operation(service, ask, Credentials(user="ada", agent="sales"))
    assert opened == [
        (True, "me", None, {"admin": True, "register": True, "admit": False}),
        (True, "ada", "sales", {"admin": False, "register": True, "admit": False}),
    ]


async def test_a_reading_request_registers_nobody_also_when_it_is_opened_anew(
    opened: list[tuple[Any, ...]],
):
    service: Any = Service()
    operation = await open_operation(service, OpenAuthenticator("me"), Credentials(), traces=False)
    await operation.refresh()
    assert opened == [(False, "me", None, {"admin": True, "register": False, "admit": True})] * 2
    assert operation.access == 2
