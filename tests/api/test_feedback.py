"""Feedback on recalls: who may give it, and what it does to the notes."""

import asyncio
from typing import Any

import pytest
from race_world import cypher

GIVE = """mutation F($id: ID!, $used: [ID!]!, $ok: Boolean) {
  feedback(recallId: $id, used: $used, helpful: $ok) }"""
ASK = """query Q($q: String!, $k: Int) {
  recall(input: {query: $q, k: $k}) { id hits { note { id } } } }"""
STATE = "query N($id: ID!) { note(id: $id) { accessCount halfLifeHours lastAccessedAt version } }"
EVENTS = '{ events(types: ["EDIT"]) { type summary actor subjectId data } }'
NOBODY = "019a0000-0000-7000-8000-000000000000"


async def asked(client: Any, query: str, k: int = 10) -> tuple[str, list[str]]:
    """The id of a tracked recall and of its notes."""
    found = (await client(ASK, q=query, k=k))["recall"]
    return found["id"], [hit["note"]["id"] for hit in found["hits"]]


async def state(client: Any, note: str) -> tuple[int, Any]:
    """Accesses and half-life of a note."""
    found = (await client(STATE, id=note))["note"]
    return found["accessCount"], found["halfLifeHours"]


def hours(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


@pytest.mark.feature("MOLT-40", "MUMA-11", "MUMA-116")
async def test_what_helped_is_one_more_access_and_what_did_not_loses_the_recall(place: Any) -> None:
    here = await place()
    kiln, roof = await here.many("The kiln is blue.", "The kiln has a roof of copper.")
    recall, notes = await asked(here.api, "kiln")
    assert sorted(notes) == sorted([kiln, roof])
    here.clock.move(1)
    # The recall is still waiting to be counted: nobody else writes this log.
    assert await here.api(GIVE, id=recall, used=[kiln]) == {"feedback": True}
    assert await state(here.api, kiln) == (2, hours(168 * 1.2))
    assert await state(here.api, roof) == (1, hours(168 * 1.2))
    told = (await here.api(STATE, id=kiln))["note"]
    assert told["lastAccessedAt"] == "2026-03-01T13:00:00Z"
    assert told["version"] == 1
    await here.api(GIVE, id=recall, used=[roof], ok=False)
    assert await state(here.api, roof) == (1, hours(168))
    assert await state(here.api, kiln) == (2, hours(168 * 1.2))  # keeps what was said of it


@pytest.mark.feature("MUMA-116")
async def test_the_same_feedback_again_changes_nothing_and_another_takes_its_place(
    place: Any,
) -> None:
    here = await place()
    [note] = await here.many("The kiln is blue.")
    recall, _ = await asked(here.api, "kiln")
    here.clock.move(1)
    for _ in range(3):
        await here.api(GIVE, id=recall, used=[note, note], ok=True)
    assert await state(here.api, note) == (2, hours(201.6))
    here.clock.move(1)
    for _ in range(2):
        await here.api(GIVE, id=recall, used=[note], ok=False)
    assert await state(here.api, note) == (1, hours(168))
    # The access that is taken back is the one of the feedback.
    told = (await here.api(STATE, id=note))["note"]["lastAccessedAt"]
    assert told == "2026-03-01T12:00:00Z"
    await here.api(GIVE, id=recall, used=[note])
    assert await state(here.api, note) == (2, hours(201.6))
    events = (await here.api(EVENTS))["events"]
    assert [event["data"]["helpful"] for event in events] == [True, False, True]
    assert {event["subjectId"] for event in events} == {note}
    assert {event["actor"] for event in events} == {"manual"}


async def test_none_used_is_about_the_recall_as_a_whole(place: Any) -> None:
    here = await place()
    notes = await here.many("The kiln is blue.", "The kiln has a roof.", "The kiln hums.")
    recall, _ = await asked(here.api, "kiln")
    await here.api(GIVE, id=recall, used=notes[:1])
    await here.api(GIVE, id=recall, used=[], ok=False)
    assert [await state(here.api, n) for n in notes] == [(1, hours(168))] * 3
    await here.api(GIVE, id=recall, used=[])
    assert [await state(here.api, n) for n in notes] == [(1, hours(201.6))] * 3
    nothing, found = await asked(here.api.as_user("nobody-" + here.api.user), "kiln")
    assert found == []
    stranger = here.api.as_user("nobody-" + here.api.user)
    assert await stranger(GIVE, id=nothing, used=[], ok=False) == {"feedback": True}


async def test_the_same_feedback_at_once_counts_once(api: Any) -> None:
    note = (await api.remember("The kiln is blue."))["note"]["id"]
    recall, _ = await asked(api, "kiln")
    answers = await asyncio.gather(*(api.post(GIVE, id=recall, used=[note]) for _ in range(8)))
    assert [answer.get("errors") for answer in answers] == [None] * 8
    assert await state(api, note) == (2, hours(201.6))
    assert len((await api(EVENTS))["events"]) == 1


async def test_what_never_decays_stays_so_and_20_times_are_kept(place: Any, context: Any) -> None:
    here = await place()
    [note] = await here.many("The kiln is blue.")
    await here.api("mutation P($id: ID!) { pin(id: $id) { id } }", id=note)
    recall = ""
    for _ in range(21):
        here.clock.move(1)
        recall, _ = await asked(here.api, "kiln")
        await here.api(GIVE, id=recall, used=[note])
    assert await state(here.api, note) == (42, None)
    await here.api(GIVE, id=recall, used=[note], ok=False)
    assert await state(here.api, note) == (41, None)
    rows = await context.graph.read(
        "notes/load",
        ids=[note],
        near=[],
        reached=[],
        vector=None,
        now=here.clock(),
        audiences=[f"u:{here.api.user}/SCOPED/general"],
    )
    assert len(rows[0]["rows"][0]["accessTimes"]) == 19


@pytest.mark.feature("MUMA-116")
async def test_only_who_asked_gives_it_in_the_same_words_as_for_no_recall(
    api: Any, new_user: Any
) -> None:
    sales, coding = api.as_agent("sales"), api.as_agent("coding")
    note = (await api.remember("The kiln is blue.", visibility="OPEN"))["note"]["id"]
    by_sales, _ = await asked(sales, "kiln")
    in_person, _ = await asked(api, "kiln")
    stranger = api.as_user(new_user())
    await stranger.remember("The kiln is red.")
    none = await api.post(GIVE, id=NOBODY, used=[note])
    assert none["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    for viewer, recall in (
        (coding, by_sales),
        (coding, in_person),
        (sales, in_person),
        (stranger, by_sales),
        (stranger.as_agent("sales"), by_sales),
        (api, "x" * 10_000),
        (api, ""),
    ):
        for used in ([note], [], ["x"]):
            assert await viewer.post(GIVE, id=recall, used=used, ok=False) == none
    before, _ = await state(api, note)
    for viewer in (sales, api):  # the agent that asked, and the user in person
        assert await viewer(GIVE, id=by_sales, used=[note]) == {"feedback": True}
        assert (await state(api, note))[0] == before + 1


async def test_only_notes_that_it_returned_and_that_may_still_be_read(api: Any) -> None:
    sales = api.as_agent("sales")
    kiln = (await api.remember("The kiln is blue.", visibility="OPEN"))["note"]["id"]
    other = (await api.remember("The roof leaks.", visibility="OPEN"))["note"]["id"]
    recall, notes = await asked(sales, "kiln", k=1)
    assert notes == [kiln]
    wrong = await sales.post(GIVE, id=recall, used=[kiln, other])
    assert wrong["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
    assert await state(api, kiln) == (1, hours(201.6))  # nothing of it was done
    assert await sales.post(GIVE, id=recall, used=[NOBODY]) == wrong
    await api(
        "mutation V($id: ID!) { setVisibility(id: $id, visibility: PRIVATE) { updatedCount } }",
        id=kiln,
    )
    assert await sales.post(GIVE, id=recall, used=[kiln]) == wrong
    assert await sales(GIVE, id=recall, used=[], ok=False) == {"feedback": True}
    assert await state(api, kiln) == (1, hours(201.6))  # and no note that it can't read
    assert await api.code(GIVE, id=recall, used=[kiln] * 101) == "BAD_USER_INPUT"
    await api("mutation F($id: ID!) { forget(id: $id, permanent: true) { forgotten } }", id=kiln)
    assert await api.post(GIVE, id=recall, used=[kiln]) == wrong


LOGGED = """MATCH (r:Recall {id: $id})-[x:RETURNED]->(n:Note)
RETURN r.query, r.session, r.agent, r.at = n.accessTimes[-1], n.id, x.rank, x.score, x.tier
ORDER BY x.rank"""


@pytest.mark.feature("TIER-15")
async def test_the_log_has_what_a_recall_returned_and_in_which_session(
    api: Any, context: Any
) -> None:
    await api.remember("The kiln is blue.", visibility="OPEN")
    await api.remember("The kiln has a roof.", visibility="OPEN")
    sales = api.as_agent("sales")
    session = (await sales("mutation { openSession { id } }"))["openSession"]["id"]
    ask = """query Q($i: RecallInput!) { recall(input: $i) { id hits { rank score note { id tier }
      } } }"""
    given = {"query": "What about the kiln?", "sessionId": session}
    tracked = (await sales(ask, i=given))["recall"]
    untracked = (await sales(ask, i={**given, "track": False}))["recall"]
    await context.log.write_recall(tracked["id"])
    assert await cypher(context, LOGGED, id=tracked["id"]) == [
        [
            given["query"],
            session,
            "sales",
            True,
            h["note"]["id"],
            h["rank"],
            h["score"],
            h["note"]["tier"],
        ]
        for h in tracked["hits"]
    ]
    assert len(tracked["hits"]) == 2
    assert await cypher(context, LOGGED, id=untracked["id"]) == []


async def test_an_untracked_recall_takes_no_feedback(api: Any) -> None:
    note = (await api.remember("The kiln is blue."))["note"]["id"]
    found = await api('{ recall(input: {query: "kiln", track: false}) { id } }')
    assert await api.code(GIVE, id=found["recall"]["id"], used=[note]) == "NOT_FOUND"


async def test_what_an_explicit_question_returned_takes_feedback(api: Any) -> None:
    await api(
        """mutation { registerAgent(input: {id: "main", role: ASSISTANT, canSeePrivate: true}) {
        id } }"""
    )
    note = (await api.remember("The diary key is hidden.", visibility="USER_ONLY"))["note"]["id"]
    main = api.as_agent("main")
    found = await main('{ recall(input: {query: "diary", explicit: true}) { id } }')
    assert await main(GIVE, id=found["recall"]["id"], used=[note]) == {"feedback": True}
    assert (await state(api, note))[0] == 2
    events = (await main(EVENTS))["events"]
    assert events == []  # but the agent hears of it as little as before


LIKE = """query Q($q: String!) { recall(input: {query: $q, k: 8, explain: true, track: false}) {
  hits { note { id } score why { parts { name value } } } } }"""


async def order(client: Any, query: str) -> tuple[list[str], list[float]]:
    """The notes of an answer, and what feedback gave to each."""
    hits = (await client(LIKE, q=query))["recall"]["hits"]
    parts = [{part["name"]: part["value"] for part in hit["why"]["parts"]} for hit in hits]
    for hit, own in zip(hits, parts, strict=True):
        assert hit["score"] == pytest.approx(sum(own.values()), abs=1e-6)
    return [hit["note"]["id"] for hit in hits], [own.get("feedback", 0.0) for own in parts]


async def test_feedback_moves_a_note_for_that_question_and_can_be_taken_back(place: Any) -> None:
    here = await place()
    await here.many(
        "The kiln code of the old hall is 4471.",
        "The kiln code of the new hall is 9920.",
        "The kiln code of the yard is 1234.",
    )
    question = "What is the kiln code?"
    before, _ = await order(here.api, question)
    recall, notes = await asked(here.api, question)
    last = notes[-1]
    await here.api(GIVE, id=recall, used=[last])
    one, given = await order(here.api, question)
    assert given[one.index(last)] > 0
    for _ in range(2):
        again, _ = await asked(here.api, question)
        await here.api(GIVE, id=again, used=[last])
    after, more = await order(here.api, question)
    assert after[0] == last, (before, after)
    assert more[0] > given[one.index(last)]
    assert [each for each in after if each != last] == [each for each in before if each != last]
    # A question about something else is answered as before.
    assert set((await order(here.api, "Who waters the garden?"))[1]) == {0.0}


async def test_what_did_not_help_sinks_for_that_question(place: Any) -> None:
    here = await place()
    await here.many("The kiln code is 4471.", "The kiln code of the new hall is 9920.")
    question = "What is the kiln code?"
    first = (await order(here.api, question))[0][0]
    for _ in range(3):
        recall, _ = await asked(here.api, question)
        await here.api(GIVE, id=recall, used=[first], ok=False)
    after, given = await order(here.api, question)
    assert after[-1] == first
    assert given[-1] < 0
    await here.api(GIVE, id=recall, used=[first])
    assert (await order(here.api, question))[1][-1] > given[-1]


async def test_feedback_moves_notes_for_who_asked_and_for_nobody_else(place: Any) -> None:
    here = await place()
    await here.many("The kiln code is 4471.", "The kiln code of the new hall is 9920.")
    question = "What is the kiln code?"
    before = await order(here.api, question)
    scribe = here.api.as_agent("scribe")
    recall, notes = await asked(scribe, question)
    await scribe(GIVE, id=recall, used=[notes[-1]])
    assert any((await order(scribe, question))[1])
    assert await order(here.api, question) == before
    assert not any((await order(here.api.as_agent("clerk"), question))[1])


async def test_nothing_of_a_judged_question_is_left_when_a_note_of_its_answer_is_destroyed(
    place: Any, context: Any
) -> None:
    here = await place()
    kept, gone = await here.many("The kiln code is 4471.", "The kiln code of the hall is 9920.")
    recall, _ = await asked(here.api, "What is the kiln code?")
    await here.api(GIVE, id=recall, used=[kept])
    read = "MATCH (r:Recall {id: $id}) RETURN r.query AS q, r.embedding AS v, r.asker AS a"
    assert None not in (await cypher(context, read, id=recall))[0]
    await here.api(
        "mutation P($id: ID!) { forget(id: $id, permanent: true) { forgotten } }", id=gone
    )
    assert await cypher(context, read, id=recall) == [[None, None, None]]
