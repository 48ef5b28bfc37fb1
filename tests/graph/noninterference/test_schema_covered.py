"""Every field of the schema, and everything that can be given to one, is drawn by a generator: a
new field without one fails here. And the table of the tests is the one that the program obeys."""

from collections.abc import Iterator
from random import Random

import pytest
from graphql import (
    GraphQLObjectType,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    parse,
    specified_rules,
    validate,
    visit,
)

from graphmem.api.cost import operation_cost
from graphmem.api.limits import Limits
from graphmem.domain.actors import Agent, Viewer
from graphmem.domain.visibility import Reading, Visibility, audience_of, may_read

from .cases import case_of
from .documents import UNSTEADY, Call, arguments_of, document, root, schema, used
from .reads import READS, everything, job_run, subscription
from .script import AGENTS, OTHERS, STRANGER, USER, NoteRef, place_of, readable
from .vocabulary import PLACES
from .writes import WRITES

NOTES = (NoteRef("s1"), NoteRef("s2"))
SEEDS = 4_000
EXEMPT = {
    ("context", "input", "profile", "ACT_R"),  # its noise goes by the ids of notes
    ("recall", "input", "profile", "ACT_R"),
}


def drawn(kind: str) -> Iterator[Call]:
    """What the generators draw for a root type, over and over."""
    rng = Random(1)
    for _ in range(SEEDS // 10 if kind == "Query" else SEEDS):
        match kind:
            case "Query":
                yield from (make(rng, NOTES) for make in READS.values() for _ in range(10))
            case "Mutation":
                for name, make in WRITES.items():
                    if name in ("remember", "rememberMany", "revise") or rng.random() < 0.05:
                        yield Call(name, make(rng, "narrow", NOTES), kind)
            case _:
                yield subscription(rng)
                yield job_run(rng)


@pytest.mark.parametrize("kind", ["Query", "Mutation", "Subscription"])
def test_every_argument_is_drawn(kind: str) -> None:
    seen: set[tuple[str, ...]] = set()
    for call in drawn(kind):
        seen |= used(call)
    assert arguments_of(kind) - seen == EXEMPT & arguments_of(kind)


def test_every_field_has_a_generator() -> None:
    assert set(READS) == set(root("Query"))
    assert set(WRITES) == set(root("Mutation"))
    assert set(root("Subscription")) == {"events", "jobRun"}


def calls() -> list[tuple[Call, ...]]:
    """The documents of reading everything and of one call of each mutation."""
    rng = Random(2)
    written = [(Call(n, make(rng, "narrow", NOTES), "Mutation"),) for n, make in WRITES.items()]
    return [*everything(rng, NOTES), *written, (subscription(rng),), (job_run(rng),)]


def test_every_field_of_every_type_is_asked_for() -> None:
    info, seen = TypeInfo(schema()), set[tuple[str, str]]()

    class Collector(Visitor):
        def enter_field(self, node: object, *_: object) -> None:
            parent = info.get_parent_type()
            if parent is not None:
                seen.add((parent.name, node.name.value))  # type: ignore[attr-defined]

    for each in calls():
        visit(parse(document(each)[0]), TypeInfoVisitor(info, Collector()))
    wanted: set[tuple[str, str]] = set()
    for kind in schema().type_map.values():
        if isinstance(kind, GraphQLObjectType) and not kind.name.startswith("__"):
            wanted |= {(kind.name, name) for name in kind.fields}
    assert wanted - seen == UNSTEADY


def test_every_document_is_one_that_the_service_takes() -> None:
    limits = Limits()
    for each in calls():
        text, variables = document(each)
        parsed = parse(text, max_tokens=limits.tokens)
        assert not validate(schema(), parsed, specified_rules)
        assert len(each) <= limits.aliases
        assert operation_cost(schema(), parsed, None, variables) <= limits.cost, text


def test_the_table_is_the_one_that_the_program_obeys() -> None:
    for name in ("person", *AGENTS):
        profile = AGENTS.get(name)
        agent = profile and Agent(
            id=name,
            user=USER,
            name=name,
            domains=profile.domains,
            can_see_private=profile.private,
        )
        viewer = Viewer(user=USER, agent=agent)
        for actor in ("person", *AGENTS, *OTHERS):
            for visibility, domain in (*PLACES, ("LOCAL", "work"), ("QUARANTINED", "work")):
                place = place_of(actor, visibility, domain)
                author = None if place.author == "person" else place.author
                audience = audience_of(place.owner, Visibility(visibility), domain, author)
                assert place.owner in (USER, STRANGER)
                by_name = may_read(viewer, audience, Reading.BY_NAME)
                asked = may_read(viewer, audience, Reading.EXPLICIT)
                assert by_name == readable(name, place), (name, place)
                assert asked == readable(name, place, explicit=True), (name, place)


def test_cases_differ_and_a_seed_gives_one_case() -> None:
    assert case_of(7) == case_of(7)
    assert len({str(case_of(seed)) for seed in range(50)}) == 50


def test_what_is_left_out_is_hidden_from_whoever_is_compared() -> None:
    """By the table, for each case: the user's own places and those of another user alike."""
    kinds = set[str]()
    for seed in range(300):
        case = case_of(seed)
        for step in case.steps:
            for viewer in case.viewers() if step.left_out else ():
                assert step.touches
                for place in step.touches:
                    assert not readable(viewer, place)
                    assert not readable(viewer, place, explicit=True)
                    kinds.add(place.visibility)
    assert kinds == {"OPEN", "SCOPED", "PRIVATE", "USER_ONLY", "LOCAL", "QUARANTINED"}
