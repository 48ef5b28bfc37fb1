"""What is decided between two groups of `remember_many` holds for the groups that come after it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from graphmem.domain.actors import WritePermission
from graphmem.domain.notes import NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.errors import Forbidden, TimedOut
from graphmem.services import actors
from graphmem.services.context import Access, Context
from graphmem.services.writing import visibility
from graphmem.services.writing.remember import remember_many
from graphmem.store.graph import Graph, Row, Step

DRAFTS = [
    (NoteDraft(content=f"Note {number} of the kiln.", domain="work/kiln"), WriteMode.VERBATIM)
    for number in range(6)
]


class Interrupted(Graph):
    """The same graph; after its first write something else happens."""

    def __init__(self, graph: Graph, happens: Callable[[], Awaitable[Any]]) -> None:
        """Use the driver of `graph`."""
        self.__dict__.update(graph.__dict__)
        self._happens: Callable[[], Awaitable[Any]] | None = happens

    async def write(self, *steps: Step, **given: Any) -> list[list[Row]]:
        """Write; the first time, let it happen."""
        rows = await super().write(*steps, **given)
        if (happens := self._happens) is not None:
            self._happens = None
            await happens()
        return rows


@pytest.fixture
async def person(context: Context, new_user: Callable[[], str]) -> Access:
    return await actors.open_access(context, new_user(), None, register=True)


@pytest.fixture(autouse=True)
def groups_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.services.writing.remember.GROUP", 2)


@pytest.mark.feature("MUMA-26")
async def test_a_rule_set_between_two_groups_holds_for_the_later_ones(
    context: Context, person: Access
) -> None:
    agent = await actors.open_access(context, person.viewer.user, "writer", register=True)

    async def narrow() -> None:
        await visibility.set_domain_visibility(context, person, "work", Visibility.USER_ONLY)

    held = replace(context, graph=Interrupted(context.graph, narrow))
    results = await remember_many(held, agent, DRAFTS)
    assert not [each.error for each in results if each.error]
    read = "MATCH (n:Note {user: $user}) RETURN n.visibility AS v"
    async with context.graph._driver.session() as session:  # pyright: ignore[reportPrivateUsage]
        rows = await (await session.run(read, user=person.viewer.user)).data()
    assert [row["v"] for row in rows] == ["USER_ONLY"] * len(DRAFTS)


@pytest.mark.feature("MUMA-26")
async def test_an_agent_that_may_only_propose_by_then_writes_no_further_group(
    context: Context, person: Access
) -> None:
    agent = await actors.open_access(context, person.viewer.user, "writer", register=True)

    async def tame() -> None:
        await actors.register_agent(context, person, "writer", writes=WritePermission.PROPOSE)

    held = replace(context, graph=Interrupted(context.graph, tame))
    results = await remember_many(held, agent, DRAFTS)
    assert [type(each.error) for each in results] == [type(None)] * 2 + [Forbidden] * 4


@pytest.mark.feature("MUMA-26")
async def test_what_nobody_foresaw_is_told_of_what_is_left(
    context: Context, person: Access
) -> None:
    class Broken(Interrupted):
        async def write(self, *steps: Step, **given: Any) -> list[list[Row]]:
            if self._happens is None:
                raise ValueError("words of a note")
            return await super().write(*steps, **given)

    async def nothing() -> None:
        return None

    held = replace(context, graph=Broken(context.graph, nothing))
    results = await remember_many(held, person, DRAFTS)
    assert [each.error is None for each in results] == [True] * 2 + [False] * 4
    assert {each.error.code for each in results if each.error} == {"INTERNAL_SERVER_ERROR"}
    assert "words" not in str([each.error for each in results])


@pytest.mark.feature("MUMA-26")
async def test_requests_at_the_same_time_do_not_get_past_the_limit_of_audiences(
    context: Context, person: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.services.context.MAX_AUDIENCES_OF_AGENT", 3)
    monkeypatch.setattr("graphmem.services.context.MAX_BATCH", 2)
    agent = await actors.open_access(context, person.viewer.user, "writer", register=True)

    async def write(call: int) -> list[bool]:
        drafts = [
            (NoteDraft(content=f"Note {n}.", domain=f"d/{call}/{n}"), WriteMode.VERBATIM)
            for n in range(4)
        ]
        results = await remember_many(context, agent, drafts)  # with the access of the beginning
        assert {type(each.error) for each in results} <= {type(None), Forbidden}
        return [each.error is None for each in results]

    written = [await write(call) for call in range(3)]
    assert written == [[True] * 4, [False] * 4, [False] * 4]
    known = [(NoteDraft(content="One more.", domain="d/0/0"), WriteMode.VERBATIM)]
    assert (await remember_many(context, agent, known))[0].error is None


async def test_no_group_begins_for_which_no_time_is_left(
    context: Context, person: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + 60

    async def pass_time() -> None:
        monkeypatch.setattr(loop, "time", lambda clock=loop.time: clock() + 31)

    held = replace(context, graph=Interrupted(context.graph, pass_time))
    results = await remember_many(held, person, DRAFTS, until=until)
    assert [type(each.error) for each in results] == [type(None)] * 2 + [TimedOut] * 4
