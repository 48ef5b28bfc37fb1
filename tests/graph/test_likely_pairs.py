"""Pairs of names that have something in common: those that the graph finds, and all there are."""

from collections.abc import Awaitable, Callable
from itertools import combinations
from typing import Any
from uuid import uuid4

from graphmem.domain.notes import EntityDraft, NoteDraft, WriteMode
from graphmem.domain.visibility import Visibility
from graphmem.services.actors import open_access, register_agent
from graphmem.services.context import Context
from graphmem.services.writing.remember import remember
from graphmem.store.resolution import likely_pairs

Ask = Callable[..., Awaitable[list[list[Any]]]]
FORMS = """MATCH (e:Entity {user: $user})
    RETURN e.id, e.joined, e.initials, e.head, e.tail, e.consonants, e.person"""
READABLE = """MATCH (n:Note)-[:MENTIONS {given: true}]->(e:Entity {user: $user})
    WHERE n.audience IN $names RETURN DISTINCT e.id"""
NAMES = (
    *("Open Street Map", "OSM", "Openstreetmap", "Street", "Open", "Map", "Osman"),
    *("Hiro Tanaka", "H. Tanaka", "Tanaka", "Hiro", "Tanaka Hiro", "Prof. Hiro Tanaka"),
    *("Graph Mem", "graphmem", "Graph", "Grphmm", "Mem", "Lantern", "Harbour Office"),
)


def is_alike(one: list[Any], other: list[Any]) -> bool:
    """What `resolution/likely` looks for, said of two rows of FORMS."""
    _, joined, initials, head, tail, consonants, person = one
    _, its_joined, its_initials, its_head, its_tail, its_consonants, its_person = other
    return any(
        mine is not None and mine == its
        for mine, its in (
            (joined, its_joined),
            *((joined, each) for each in (its_initials, its_head, its_tail)),
            *((each, its_joined) for each in (initials, head, tail)),
            (consonants, its_consonants),
            (person, its_person),
        )
    )


async def test_it_finds_each_pair_of_readable_names_that_have_something_in_common(
    context: Context, rows: Ask
):
    user = f"alike-{uuid4()}"
    mine = await open_access(context, user, None, register=True)
    await register_agent(context, mine, "code", domains=["work/code"])
    for place, name in enumerate(NAMES):
        domain = "home" if place % 4 == 0 else "work/code"
        named = (EntityDraft(name=name, type="thing"),)
        draft = NoteDraft(
            content=f"About {name}.",
            entities=named,
            domain=domain,
            visibility=Visibility.SCOPED,
        )
        await remember(context, mine, draft, WriteMode.VERBATIM)
    forms = sorted(await rows(FORMS, user=user))
    wanted = [(one[0], other[0]) for one, other in combinations(forms, 2) if is_alike(one, other)]
    assert len(wanted) > 10
    mine, now = await open_access(context, user, None), context.clock()
    assert await likely_pairs(context.graph, user, list(mine.by_name), now, 1000) == wanted
    assert await likely_pairs(context.graph, user, list(mine.by_name), now, 3) == wanted[:3]

    code = await open_access(context, user, "code")
    seen = {row[0] for row in await rows(READABLE, user=user, names=list(code.by_name))}
    readable = [pair for pair in wanted if seen.issuperset(pair)]
    assert 0 < len(readable) < len(wanted)
    assert await likely_pairs(context.graph, user, list(code.by_name), now, 1000) == readable
