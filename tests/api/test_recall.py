"""Recall over GraphQL: filters with every reach, k places for k notes, paths over relations."""

from typing import Any

import pytest

from graphmem.store import recall as store

MANY = """mutation M($input: RememberManyInput!) { rememberMany(input: $input) { results {
  note { id } error { message } } } }"""


@pytest.mark.parametrize("hops", [0, 1, 2, 3])
@pytest.mark.parametrize("profile", ["BALANCED", "SIMILARITY"])
@pytest.mark.parametrize("given", [{"domain": "work"}, {"tags": ["kiln"]}, {"kinds": ["SEMANTIC"]}])
async def test_a_filter_finds_what_passes_it_however_far_the_graph_is_followed(
    api: Any, given: dict[str, Any], profile: str, hops: int
) -> None:
    inside = await api.remember("The kiln needs a relay.", domain="work/hall", tags=["kiln"])
    await api.remember("The kiln needs a lid.", domain="home", tags=["lid"], kind="EPISODIC")
    hits = await api.recall("What does the kiln need?", filter=given, profile=profile, hops=hops)
    assert [hit["note"]["id"] for hit in hits] == [inside["note"]["id"]]


async def test_entities_at_the_end_of_relations_take_no_place_of_a_note(api: Any) -> None:
    notes = [
        {
            "content": f"Report {i} about the kiln.",
            "relations": [
                {"subject": "Kiln", "predicate": "has", "object": f"Part {i}-{j}"} for j in range(5)
            ],
        }
        for i in range(30)
    ]
    data = await api(MANY, input={"notes": notes, "mode": "VERBATIM"})
    assert not any(result["error"] for result in data["rememberMany"]["results"])
    for k in (5, 20, 30):
        hits = await api.recall("kiln report", k=k)
        assert len(hits) == k
        steps = [step for hit in hits for step in hit["via"]]
        notes_told = {step["noteId"] for step in steps if step["noteId"]}
        entities = (await api("{ entities(first: 500) { id } }"))["entities"]
        assert notes_told.isdisjoint(entity["id"] for entity in entities)


async def test_more_hits_begin_with_those_of_fewer(place: Any) -> None:
    here = await place()
    talk = [("Ruta", "Did the kiln fire?"), ("Femi", "Yes, yesterday."), ("Ruta", "At last!")]
    for n, (speaker, content) in enumerate(talk * 3):
        await here.many(f"{content} {n}", speaker=speaker, episode=f"day {n // 3}")
    await here.many("The Lake Kiln is fired by Femi Ade.", title="Lake Kiln")
    await here.many("Femi Ade owns the Lake Kiln.", title="Femi Ade")
    query = "When did Femi fire the Lake Kiln?"
    most = await here.ask(query, "BALANCED", k=12)
    assert len(most) == 11
    for k in range(1, 11):
        fewer = await here.ask(query, "BALANCED", k=k)
        assert [(hit["note"]["id"], hit["score"]) for hit in fewer] == [
            (hit["note"]["id"], hit["score"]) for hit in most[:k]
        ]
    for hit in most:
        assert sum(part["value"] for part in hit["why"]["parts"]) == pytest.approx(hit["score"])


async def test_likeness_is_the_same_by_meaning_and_by_words(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = await place()
    await here.many(*(f"The kiln of hall {n} needs a {n} ampere relay." for n in range(8)))

    async def found() -> list[tuple[str, float, float]]:
        hits = await here.ask("Which relay does the kiln need?", "BALANCED")
        return [(hit["note"]["id"], hit["score"], hit["why"]["similarity"]) for hit in hits]

    by_meaning = await found()
    assert len(by_meaning) == 8
    # The vector index is exact among few notes only: which notes it finds must move no score.
    monkeypatch.setattr(store, "VECTOR_LIMIT", 2)
    assert await found() == by_meaning


@pytest.mark.feature("MUMA-109")
@pytest.mark.parametrize(
    ("question", "better"),
    [
        ("Who are the employees of Acme?", "They signed in May."),
        ("Whose boss is Acme?", "They met in June."),
    ],
)
async def test_a_relation_is_found_by_what_it_means(api: Any, question: str, better: str) -> None:
    """Note and predicate have no word of the question; the entity alone leads to both notes."""
    for text, subject, predicate, target in (
        ("They signed in May.", "Dara Osei", "works-at", "Acme"),
        ("They met in June.", "Acme", "manages", "Lars Holm"),
    ):
        relation = {"subject": subject, "predicate": predicate, "object": target}
        await api.remember(text, relations=[relation])
    await api.remember("A gate of the yard is painted.")
    query = "query Q($q: String!) { recall(input: {query: $q}) { hits { note { content } } } }"
    hits = (await api(query, q=question))["recall"]["hits"]
    assert hits[0]["note"]["content"] == better
