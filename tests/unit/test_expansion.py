"""The walk over a neighbourhood, on small graphs."""

from typing import Any

import pytest

from graphmem.domain.predicates import PREDICATES
from graphmem.domain.ranking import Balanced
from graphmem.language.analysis import analyse
from graphmem.language.relation_words import other_terms, share_asked
from graphmem.services.recall.expansion import explore
from graphmem.store import recall as store


def entity(i: str, by: list[tuple[str | None, str]], **more: Any) -> dict[str, Any]:
    row = {"entity": i, "by": by, "titled": [], "mentioned": [], "related": []}
    return row | more


OPINIONS = {"confident-about", "uncertain-about"}


async def shares(
    monkeypatch: pytest.MonkeyPatch,
    scores: dict[str, float],
    entities: list[dict[str, Any]],
    links: list[tuple[str, str, str, float | None]] = [],  # noqa: B006
    terms: frozenset[str] = frozenset(),
    given: Balanced | None = None,
) -> Any:
    async def read(*_: object, notes: object, named: object, known: object) -> dict[str, Any]:
        return {"entities": entities, "links": links}

    monkeypatch.setattr(store, "neighbourhood", read)
    return await explore(None, None, scores, [], 1, given or Balanced(), terms)  # type: ignore[arg-type]


async def test_the_walk_goes_to_the_note_whose_title_is_mentioned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        entity("osei", [("a", "Osei")], titled=["t"], mentioned=["a"]),
        entity("kiln", [("a", "Kiln")], mentioned=["a", "m"]),
    ]
    area = await shares(monkeypatch, {"a": 1.0}, rows)
    assert area.shares["t"] > 2 * area.shares["m"] > 0
    steps = area.path("t", {"a": "A", "t": "Osei"})
    assert [step.relationship for step in steps] == ["MATCHES", "MENTIONS"]
    plain = await shares(monkeypatch, {"a": 1.0}, rows, given=Balanced(title_weight=0, titled=1))
    assert plain.shares["t"] == pytest.approx(plain.shares["m"])


async def test_a_path_tells_by_which_relationship_each_step_was_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        entity("osei", [(None, "Osei")], titled=["t"], mentioned=["m"]),
        entity("kiln", [("m", "Kiln")], mentioned=["m", "k"]),
    ]
    area = await shares(monkeypatch, {"a": 1.0}, rows)
    kinds = {i: [step.relationship for step in area.path(i, {})] for i in ("t", "m", "k")}
    assert kinds == {
        "t": ["NAMES", "TITLES"],
        "m": ["NAMES", "MENTIONED_IN"],
        "k": ["NAMES", "MENTIONED_IN", "MENTIONS", "MENTIONED_IN"],
    }


async def test_an_entity_of_many_notes_leads_to_each_the_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        entity("rare", [("a", "Rare")], mentioned=["a", "r"]),
        entity("common", [("a", "Common")], mentioned=["a", "x", "y", "z", "w"]),
    ]
    area = await shares(monkeypatch, {"a": 1.0}, rows)
    assert area.shares["r"] > 2 * area.shares["x"] > 0


async def test_a_relation_that_the_question_names_leads_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        entity(
            "film", [("a", "Film")], mentioned=["a"], related=[["ann", "directed by", 1.0, "a"]]
        ),
        entity("ann", [("a", "Ann")], titled=["ann note"], mentioned=["a"]),
        entity("bob", [("a", "Bob")], titled=["bob note"], mentioned=["a"]),
    ]
    plain = await shares(monkeypatch, {"a": 1.0}, rows)
    named = await shares(monkeypatch, {"a": 1.0}, rows, terms=frozenset({"direct", "film"}))
    assert plain.shares["ann note"] == pytest.approx(plain.shares["bob note"], rel=0.1)
    assert named.shares["ann note"] > 1.5 * named.shares["bob note"]


@pytest.mark.parametrize(
    ("question", "predicate", "share"),
    [
        ("Who directed the film?", "directed by", 1.0),
        ("Who is the employer of Ann?", "works-at", 1.0),
        ("Who is the boss of Ann?", "manages", 1.0),
        ("What replaced it?", "supersedes", 1.0),
        ("Where was it painted?", "painted in oil", 0.5),
        ("Who is Ann?", "works-at", 0.0),
    ],
)
def test_a_question_asks_for_a_relation_in_its_own_or_in_other_words(
    question: str, predicate: str, share: float
) -> None:
    assert share_asked(frozenset(analyse(question)), predicate) == share


def test_other_words_are_for_predicates_of_the_vocabulary() -> None:
    assert all(other_terms(predicate) for predicate in PREDICATES - {"relates-to"} - OPINIONS)
    assert not other_terms("hums to")


async def test_the_best_note_keeps_more_of_the_walk_than_its_neighbour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    area = await shares(monkeypatch, {"a": 1.0, "b": 0.5}, [], [("a", "n", "NEXT", None)])
    assert area.shares["a"] > area.shares["b"] > area.shares["n"] > 0
    without = await shares(
        monkeypatch, {"a": 1.0}, [], [("a", "n", "NEXT", None)], given=Balanced(next_weight=0)
    )
    assert "n" not in without.shares
    assert "NEXT" not in without.kinds.values()


async def test_a_name_inside_a_longer_one_does_not_start_the_walk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [
        entity("york", [(None, "York")], mentioned=["y"]),
        entity("new york", [(None, "New York")], mentioned=["n"]),
    ]
    area = await shares(monkeypatch, {"a": 1.0}, rows)
    assert area.shares["n"] > 0 == area.shares.get("y", 0.0)
    assert [step.relationship for step in area.path("n", {"n": "N"})] == ["NAMES", "MENTIONED_IN"]


@pytest.mark.feature("MOLT-61")
async def test_a_further_hop_is_read_where_something_new_is_among_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []
    links: list[tuple[str, str, str, float]] = []

    async def read(*_: object, notes: list[str], named: object, known: object) -> dict[str, Any]:
        asked.append(sorted(notes))
        return {"entities": [], "links": [link for link in links if link[0] in notes]}

    monkeypatch.setattr(store, "neighbourhood", read)

    async def hops(scores: dict[str, float], most: int) -> Any:
        asked.clear()
        return await explore(None, None, scores, [], most, Balanced(frontier=12))  # type: ignore[arg-type]

    candidates = {f"c{n:02}": 1 - n / 100 for n in range(30)}
    first = sorted(candidates)[:12]
    await hops(candidates, 3)
    assert asked == [first]  # the graph leads nowhere
    links.append(("c11", "late", "related", 0.01))
    await hops(candidates, 3)
    assert asked == [first]  # it leads to what can't be among the best
    links += [("c00", "near", "related", 1.0), ("near", "far", "related", 1.0)]
    area = await hops(candidates, 3)
    assert [("near" in notes, "far" in notes) for notes in asked] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    assert [step.label for step in area.path("far", {"near": "Near", "far": "Far"})][1:] == [
        "Near",
        "Far",
    ]
    assert "far" in (await hops(candidates, 2)).shares
    assert "far" not in (await hops(candidates, 1)).shares


@pytest.mark.feature("MOLT-61")
async def test_a_further_hop_reads_again_what_named_an_entity_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The walk is the same whether the second step reads a known entity whole or only its names."""
    told: list[set[str]] = []

    def of(entities: list[dict[str, Any]], known: Any, *, whole: bool) -> list[dict[str, Any]]:
        told.append(set(known))
        empty = {"titled": [], "mentioned": [], "related": []}
        return [row if whole or row["entity"] not in known else row | empty for row in entities]

    first = [entity("kiln", [("a", "Kiln")], mentioned=["a", "m"], titled=["t"])]
    second = [
        entity("kiln", [("m", "Kiln")], mentioned=["a", "m"], titled=["t"]),
        entity(
            "glaze", [("m", "Glaze")], mentioned=["m", "z"], related=[["kiln", "for", 0.9, "m"]]
        ),
    ]

    async def walked(*, whole: bool) -> Any:
        steps = iter((first, second))

        async def read(*_: object, notes: object, named: object, known: object) -> dict[str, Any]:
            return {"entities": of(next(steps), known, whole=whole), "links": []}

        monkeypatch.setattr(store, "neighbourhood", read)
        return await explore(None, None, {"a": 1.0}, [], 2, Balanced(), frozenset({"for"}))  # type: ignore[arg-type]

    short, whole = await walked(whole=False), await walked(whole=True)
    assert short == whole
    assert short.shares["z"] > 0
    assert told == [set(), {"kiln"}] * 2
