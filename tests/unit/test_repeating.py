"""A change is decided anew while somebody else is faster."""

from dataclasses import replace
from typing import Any

import pytest

from graphmem.domain.actors import Viewer
from graphmem.domain.visibility import Visibility
from graphmem.errors import Conflict, Forbidden, Stale
from graphmem.services.context import Access
from graphmem.services.writing import repeating
from graphmem.services.writing.repeating import ATTEMPTS, repeat_while_stale

CONTEXT: Any = None
ACCESS = Access(
    viewer=Viewer(user="ada"), audiences=(), rules={}, default=Visibility.SCOPED, version=0
)


@pytest.fixture(autouse=True)
def versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time the access is opened, rules or profiles have changed."""

    async def reopened(context: Any, access: Access) -> Access:
        return replace(access, version=(access.version or 0) + 1)

    monkeypatch.setattr(repeating, "reopen_access", reopened)


async def test_each_attempt_has_the_access_of_then() -> None:
    seen = []

    @repeat_while_stale
    async def change(context: Any, access: Access, word: str, *, last: int) -> str:
        seen.append(access.version)
        if access.version != last:
            raise Stale
        return word

    assert await change(CONTEXT, ACCESS, "done", last=3) == "done"
    assert seen == [0, 1, 2, 3]


async def test_it_ends_as_a_conflict() -> None:
    seen = []

    @repeat_while_stale
    async def change(context: Any, access: Access) -> None:
        seen.append(access.version)
        raise Stale

    with pytest.raises(Conflict) as raised:
        await change(CONTEXT, ACCESS)
    assert raised.value.code == "CONFLICT"
    assert len(seen) == ATTEMPTS


@pytest.mark.parametrize("error", [Conflict("settled already"), Forbidden()])
async def test_what_is_decided_is_not_asked_again(error: Exception) -> None:
    seen = []

    @repeat_while_stale
    async def change(context: Any, access: Access) -> None:
        seen.append(access.version)
        raise error

    with pytest.raises(type(error)):
        await change(CONTEXT, ACCESS)
    assert seen == [0]


async def test_an_access_to_one_fixed_audience_is_never_widened() -> None:
    seen = []

    @repeat_while_stale
    async def change(context: Any, access: Access) -> None:
        seen.append(access.version)
        raise Stale

    with pytest.raises(Stale):
        await change(CONTEXT, replace(ACCESS, version=None))
    assert seen == [None]
