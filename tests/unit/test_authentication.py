"""Who asks: what is taken of a request, and what an authenticator makes of it."""

from typing import Any

import pytest

from graphmem.errors import Unauthenticated
from graphmem.operations import authentication
from graphmem.operations.authentication import (
    ActingAs,
    Admitted,
    Credentials,
    KeyAuthenticator,
    OpenAuthenticator,
    authenticator_of,
)
from graphmem.operations.operation import open_operation
from graphmem.services.callers import Callers
from graphmem.services.keys import Identity


class Service:
    """Remembers whether it may leave traces."""

    def __init__(self, traces: bool = True) -> None:
        self.traces = traces
        self.callers = Callers()

    def without_traces(self, *, used: bool = False) -> "Service":
        return Service(traces=used)


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


@pytest.mark.parametrize("value", ["Bearer gm_x", "bearer wrong", f"Bearer gm_{'a' * 8}_b"])
async def test_a_wrong_key_is_refused_also_where_none_is_asked_for(
    value: str, opened: list[tuple[Any, ...]]
):
    service: Any = Service()
    ask = OpenAuthenticator("me")
    with pytest.raises(Unauthenticated):
        await ask.open(service, Credentials(user="me", authorization=value))
    assert opened == []
    for other in ("Basic eDp5", "Bearer", ""):  # no key at all
        await ask.open(service, Credentials(authorization=other))


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


def test_what_one_pays_by_can_t_be_chosen():
    secret = "gm_" + "a" * 8 + "_" + "b" * 43 + "_" + "c" * 6
    bearer = f"Bearer {secret}"
    for agent in ("x", "y"):
        given = Credentials(user=agent, agent=agent, authorization=bearer)
        assert KeyAuthenticator().payer(given) == "a" * 8
        assert ActingAs(KeyAuthenticator(), agent).payer(given) == "a" * 8
        assert OpenAuthenticator("me").payer(Credentials(agent=agent)) == "me"


async def test_a_key_that_was_looked_at_counts_once_and_for_a_moment():
    identity, now = Identity(user="ada", agent=None, admin=False), [0.0]
    admitted = Admitted(identity, lambda: now[0])
    assert (admitted.take(), admitted.take()) == (identity, None)
    late = Admitted(identity, lambda: now[0])
    now[0] = 1.5
    assert late.take() is None
