"""What a question asks for decides what comes first: a time, a thing, a procedure, the newest."""

from typing import Any

import pytest

from tests.api.conftest import EXPLAINED, Clock

SKILL = """mutation S($name: String!, $procedure: String!, $trigger: String) {
  addSkill(name: $name, procedure: $procedure, trigger: $trigger) { id } }"""
MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes,
  mode: VERBATIM}) { results { note { id } error { message } } } }"""


async def asked(place: Any, query: str, **given: Any) -> tuple[str, list[str], list[Any]]:
    """The strategy, the texts in order, the hits."""
    question = {"query": query, "explain": True, "track": False, **given}
    answer = (await place.api(EXPLAINED, input=question))["recall"]
    for hit in answer["hits"]:
        parts = hit["why"]["parts"]
        assert sum(part["value"] for part in parts) == pytest.approx(hit["score"], abs=1e-9)
        assert len({part["name"] for part in parts}) == len(parts)
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True)
    return answer["strategy"], [hit["note"]["content"] for hit in answer["hits"]], answer["hits"]


async def write(place: Any, *notes: dict[str, Any]) -> list[str]:
    results = (await place.api(MANY, notes=list(notes)))["rememberMany"]["results"]
    assert not any(result["error"] for result in results)
    return [result["note"]["id"] for result in results]


def said(content: str, day: str | None = None, **given: Any) -> dict[str, Any]:
    return {"content": content, **({"occurredAt": f"{day}T10:00:00Z"} if day else {}), **given}


@pytest.mark.feature("MOLT-56")
@pytest.mark.parametrize(
    "query",
    [
        "When did we discuss the lease last March?",
        "WHAT DID WE SAY ABOUT THE LEASE IN MARCH 2025",
        "what did we decide on the lease on 12 March 2025?",
        "lease, between 10 and 14 March 2025",
        "What did we say about the lease a year ago, in March last year?",
    ],
)
async def test_notes_of_the_time_that_is_named_come_first(place: Any, query: str) -> None:
    here = await place()
    await write(
        here,
        said("We discussed the lease and decided to wait with the lease.", "2026-02-20"),
        said("We discussed the lease with the landlord.", "2025-03-12"),
        said("We discussed the lease and the deposit of the lease.", "2024-11-02"),
        said("Bread and milk were bought.", "2025-03-12"),
    )
    strategy, found, _ = await asked(here, query)
    assert strategy == "TEMPORAL"
    assert found[0] == "We discussed the lease with the landlord."
    assert len(found) == 4


async def test_everything_of_the_time_fits_a_question_for_nothing_else(place: Any) -> None:
    here = await place()
    await write(
        here,
        said("The choir sang in the old mill.", "2026-02-17"),
        said("Something happened to the week plan.", "2026-01-02"),
        said("Ruta repaired the boat.", "2026-02-20"),
    )
    strategy, found, hits = await asked(here, "What happened last week?")
    assert strategy == "TEMPORAL"
    assert set(found[:2]) == {"The choir sang in the old mill.", "Ruta repaired the boat."}
    assert "strategy" in {part["name"] for part in hits[0]["why"]["parts"]}
    assert "strategy" not in {part["name"] for part in hits[2]["why"]["parts"]}


async def test_a_date_in_the_text_counts(place: Any) -> None:
    here = await place()
    await write(
        here,
        said("The boat trip was lovely, said Ruta about the boat trip."),
        said("The boat trip is on 14 August 2024."),
        said("Tomorrow is the boat trip.", "2023-05-04"),
    )
    _, found, _ = await asked(here, "Which boat trip was in August 2024?")
    assert found[0] == "The boat trip is on 14 August 2024."
    _, found, _ = await asked(here, "What about the boat trip on 5 May 2023?")
    assert found[0] == "Tomorrow is the boat trip."


@pytest.mark.parametrize(
    "query", ["lease of the mill, May 1999?", "When was the mill sold?", "mill on 30 February 2025"]
)
async def test_without_a_note_of_the_time_all_is_as_before(place: Any, query: str) -> None:
    here = await place()
    await write(here, said("The mill was sold.", "2026-02-20"), said("A lease for the mill."))
    _, found, hits = await asked(here, query)
    assert len(found) == 2
    assert all("strategy" not in {part["name"] for part in hit["why"]["parts"]} for hit in hits)


async def test_a_note_of_the_time_is_found_among_hundreds_that_fit_better(place: Any) -> None:
    here = await place()
    many = [said(f"The pump of the mill was oiled, round {i}.", "2026-01-05") for i in range(300)]
    await write(here, *many, said("The pump of the mill broke; round trip to Oslo.", "2024-06-03"))
    _, found, _ = await asked(here, "When was the pump of the mill oiled in June 2024?", k=3)
    assert found[0] == "The pump of the mill broke; round trip to Oslo."


@pytest.mark.feature("MOLT-59")
@pytest.mark.parametrize(
    "query",
    [
        "What's the latest on the lease?",
        "what\u2019s the LATEST on the lease",
        "any news on the lease?",
    ],
)
async def test_of_what_fits_about_equally_the_newer_comes_first(place: Any, query: str) -> None:
    here = await place()
    await write(
        here,
        said("The lease ends in June.", "2025-10-01"),
        said("The lease ends in July.", "2026-02-01"),
        said("The lease ends in May.", "2025-06-01"),
        said("A new kettle.", "2026-02-28"),
    )
    strategy, found, _ = await asked(here, query)
    assert strategy == "LATEST"
    assert found == [
        "The lease ends in July.",
        "The lease ends in June.",
        "The lease ends in May.",
        "A new kettle.",
    ]


async def test_the_newest_is_what_was_written_last_where_no_time_is_told(place: Any) -> None:
    clock: Clock
    here = await place()
    clock = here.clock
    for month in ("April", "May", "June"):
        await write(here, said(f"The lease ends in {month}."))
        clock.move(hours=30)
    _, found, _ = await asked(here, "What's the latest on the lease?")
    assert found[0] == "The lease ends in June."


@pytest.mark.feature("MOLT-58")
async def test_procedures_come_first_by_their_trigger(place: Any) -> None:
    here = await place()
    await write(
        here,
        said("I ship parcels to Oslo, and I ship them by boat.", kind="EPISODIC"),
        said("The ship sails on Friday.", kind="SEMANTIC"),
    )
    deploy = "Run the tests, tag the version, push the image."
    await here.api(SKILL, name="deploy", procedure=deploy, trigger="ship, release or deploy")
    await here.api(SKILL, name="bake bread", procedure="Knead and wait.", trigger="hungry")
    for query in ("how do I ship", "How do I usually ship?", "What are the steps to ship?"):
        strategy, found, hits = await asked(here, query)
        assert strategy == "PROCEDURAL"
        assert found[0] == deploy, query
        assert len(hits) == 4


async def test_a_note_that_is_a_procedure_comes_first_where_it_fits(place: Any) -> None:
    here = await place()
    await write(
        here,
        said("Cleaning the boat: first the deck of the boat, then the hull.", kind="PROCEDURAL"),
        said("Cleaning the boat was fun, cleaning the boat again.", kind="EPISODIC"),
        said("Frying eggs: heat the pan.", kind="PROCEDURAL"),
    )
    _, found, _ = await asked(here, "How should we clean the boat?")
    assert found[0].startswith("Cleaning the boat: first")
    assert found[-1] == "Frying eggs: heat the pan."
    _, found, _ = await asked(here, "How should we clean the boat?", filter={"kinds": ["EPISODIC"]})
    assert found == ["Cleaning the boat was fun, cleaning the boat again."]


@pytest.mark.feature("MOLT-57")
async def test_of_a_thing_its_notes_come_first_and_via_tells_the_way(place: Any) -> None:
    here = await place()
    own, neighbour, other, _ = await write(
        here,
        said(
            "Halden keeps its ledgers in Bergen.",
            entities=[{"name": "Halden"}, {"name": "Ruta Moen"}],
            relations=[{"subject": "Ruta Moen", "predicate": "works_at", "object": "Halden"}],
        ),
        said("Ruta Moen rides a red bicycle.", entities=[{"name": "Ruta Moen"}]),
        said("You do know that what you know about knowing is little."),
        said("A kettle."),
    )
    strategy, _, hits = await asked(here, "What do you know about Halden?")
    assert strategy == "ENTITY"
    ids = [hit["note"]["id"] for hit in hits]
    assert ids[0] == own
    assert set(ids) >= {neighbour, other}
    ways = {hit["note"]["id"]: hit["via"] for hit in hits}
    assert [step["relationship"] for step in ways[own]] == ["NAMES", "MENTIONED_IN"]
    assert ways[neighbour][0]["relationship"] == "NAMES"
    assert [step["noteId"] for step in ways[neighbour]][-1] == neighbour
    assert len(ways[neighbour]) >= 3
    assert [step["relationship"] for step in ways[other]] == ["MATCHES"]


@pytest.mark.feature("MOLT-61")
@pytest.mark.parametrize(
    "query",
    [
        "What do you know about the memory project?",
        "the memory project",
        "TELL ME ABOUT THE MEMORY PROJECT",
        "tell me everything about moltbot",
        "What do you know about Moltbot Memry?",
        "what do you know about moltbotmemory?",
    ],
)
@pytest.mark.parametrize("name", ["project--moltbot-memory", "Moltbot Memory"])
async def test_a_thing_is_found_by_a_part_of_its_name(place: Any, query: str, name: str) -> None:
    here = await place()
    own, _, _ = await write(
        here,
        said("Alex builds it with two friends.", entities=[{"name": name, "type": "Project"}]),
        said("What do you know about a project, tell me, of memory."),
        said("Everything about everything."),
    )
    strategy, _, hits = await asked(here, query)
    assert strategy == "ENTITY"
    assert hits[0]["note"]["id"] == own
    assert hits[0]["via"][0]["relationship"] == "NAMES"


async def test_a_thing_nobody_told_of_is_looked_for_as_any_question(place: Any) -> None:
    here = await place()
    await write(here, said("Halden is a bank.", entities=[{"name": "Halden"}]))
    for query in ("What do you know about Quimper?", "Who is Berit?", "the blue kettle"):
        strategy, found, _ = await asked(here, query)
        assert (strategy, found) == ("HYBRID", ["Halden is a bank."])


async def test_a_name_that_the_viewer_may_not_know_decides_nothing(place: Any) -> None:
    """An agent gets the same answer as if the private entity were not there."""
    here = await place()
    agent = here.api.as_agent("helper")
    notes = [
        said("Alex builds it.", entities=[{"name": "Moltbot Memory"}]),
        said("A note about a project."),
    ]
    await write(here, *notes)
    question = {"query": "What do you know about the memory project?", "track": False}
    before = (await agent(EXPLAINED, input=question))["recall"]
    assert before["strategy"] == "ENTITY"
    secret = {"name": "Memory Project"}
    await write(
        here,
        said("The secret budget.", entities=[secret], visibility="USER_ONLY"),
        said("The secret name.", entities=[{"name": "Memory"}], visibility="USER_ONLY"),
    )
    after = (await agent(EXPLAINED, input=question))["recall"]
    kept = ("strategy", "confidence", "hits")
    assert [after[name] for name in kept] == [before[name] for name in kept]


@pytest.mark.feature("MOLT-92")
async def test_where_nothing_fits_confidence_is_low(place: Any) -> None:
    here = await place()
    await write(here, said("Ruta repaired the boat."), said("The lease ends in June."))
    for query in ("Quantum chromodynamics?", "When did Zoltan vaccinate his hedgehog?"):
        answer = await here.api(EXPLAINED, input={"query": query, "track": False})
        assert answer["recall"]["confidence"] < 0.3
    answer = await here.api(EXPLAINED, input={"query": "Ruta's boat", "track": False})
    assert answer["recall"]["confidence"] > 0.5


@pytest.mark.parametrize(
    ("profile", "strategy"),
    [("SIMILARITY", "VECTOR"), ("RELEVANCE", "HYBRID"), ("ACT_R", "VECTOR")],
)
async def test_other_profiles_ask_nothing_else(place: Any, profile: str, strategy: str) -> None:
    here = await place()
    await write(here, said("The lease ends in June."))
    told, _, _ = await asked(here, "What's the latest on the lease?", profile=profile)
    assert told == strategy


@pytest.mark.parametrize(
    "query",
    [
        "kiln relay",
        "Who am I?",
        "last March " * 900,
        "between between and and 31/31/2025",
        "what do you know about ???",
        "tell me about \u200b\u2019\u2019",
        "when",
        "the",
        "latest",
        "how do I",
        "in May",
        "999 years before 1 January 1900",
    ],
)
async def test_any_text_is_a_question(place: Any, query: str) -> None:
    here = await place()
    await write(here, said("The kiln needs a relay."))
    _, found, _ = await asked(here, query)
    assert found == ["The kiln needs a relay."]


@pytest.mark.feature("MOLT-61", "MOLT-94")
async def test_how_far_the_graph_is_followed_is_a_setting_that_a_request_may_change(
    place: Any,
) -> None:
    here = await place(depth=0)
    await write(
        here,
        said("Zorvath leads Halden.", entities=[{"name": "Zorvath"}, {"name": "Halden"}]),
        said("Halden is late.", entities=[{"name": "Halden"}]),
    )

    async def strategy(**given: Any) -> str:
        return (await asked(here, "What do you know about Zorvath?", **given))[0]

    assert await strategy() == await strategy(hops=None) == await strategy(hops=0) == "HYBRID"
    assert await strategy(hops=2) == "ENTITY"
