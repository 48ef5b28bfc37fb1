"""Context packages: what goes in, how it is told, what it counts as."""

from typing import Any

import pytest

ASK = """query C($task: String!, $budget: Int, $scope: Scope, $profile: RankingProfile) {
  context(input: {task: $task, tokenBudget: $budget, scope: $scope, profile: $profile}) {
    text tokenCount recallId confidence suggestedScope suggestedDomains
    hits { rank score note { id content domain } } } }"""
STATE = "query N($id: ID!) { note(id: $id) { accessCount halfLifeHours } }"
LINK = "mutation L($a: ID!, $b: ID!, $k: String!) { link(source: $a, target: $b, kind: $k) { id } }"
NOT_SURE = "Nothing in memory clearly fits this task; what follows may not be about it."


async def package(client: Any, task: str, budget: int = 1700, **given: Any) -> Any:
    return (await client(ASK, task=task, budget=budget, **given))["context"]


def shown(made: Any) -> list[str]:
    return [hit["note"]["id"] for hit in made["hits"]]


@pytest.mark.feature("MUMA-93")
async def test_the_same_over_and_over_does_not_crowd_out_the_rest(place: Any) -> None:
    here = await place()
    await here.many(*(f"The kiln relay of hall {i} clicked again." for i in range(60)))
    rest = await here.many(
        "A kiln relay costs nine crowns at Dunmarrow.",
        "Orla swaps a broken relay in ten minutes.",
    )
    recalled = await here.ask("kiln relay clicked", "BALANCED", k=100)
    first = [hit["note"]["id"] for hit in recalled[:30]]
    assert set(rest).isdisjoint(first)
    made = await package(here.api, "kiln relay clicked", 300)
    assert 10 < len(made["hits"]) < 30
    assert set(rest) <= set(shown(made))
    assert made["hits"][0]["note"]["id"] == first[0]
    assert [hit["rank"] for hit in made["hits"]] == list(range(1, len(made["hits"]) + 1))
    scores = [hit["score"] for hit in made["hits"]]
    assert scores == sorted(scores, reverse=True)
    again = await package(here.api, "kiln relay clicked", 300)
    assert again["text"] == made["text"]


async def test_one_episode_does_not_crowd_out_another(place: Any) -> None:
    here = await place()
    words = ("fired", "cooled", "cracked", "leaned", "hummed", "smoked", "glowed", "stopped")
    await here.many(*(f"Bo said kiln seven {w} by noon." for w in words), episode="monday")
    [other] = await here.many("Edda sold a kiln in May.", episode="tuesday")
    recalled = await here.ask("What did Bo say of kiln seven?", "BALANCED")
    assert [hit["note"]["id"] for hit in recalled].index(other) == len(words)
    made = await package(here.api, "What did Bo say of kiln seven?", 60)
    assert 1 < len(made["hits"]) < 6
    assert other in shown(made)


async def test_the_same_line_is_told_once(place: Any) -> None:
    here = await place()
    await here.many("Ran five miles.", "Ran five miles.")
    here.clock.move(24)
    await here.many("Ran five miles.")
    made = await package(here.api, "who ran five miles?")
    assert made["text"].count("Ran five miles.") == 2  # on two days
    assert len(made["hits"]) == 2


@pytest.mark.feature("MUMA-114")
async def test_of_a_note_longer_than_the_budget_whole_sentences_are_told(place: Any) -> None:
    here = await place()
    before = " ".join(f"Talk number {i} was about the weather." for i in range(60))
    after = " ".join(f"Remark number {i} was about lunch." for i in range(60))
    answer = "The kiln relay is rated for nine amperes. Orla checked it twice."
    [minutes] = await here.many(f"{before} {answer} {after}")
    [short] = await here.many("The kiln relay hums.")
    made = await package(here.api, "What is the kiln relay rated for?", 200)
    assert made["tokenCount"] <= 200
    assert set(shown(made)) == {minutes, short}
    line = next(each for each in made["text"].splitlines() if minutes in each)
    assert line.startswith(f"- […] {answer} Remark number 0 was about lunch.")
    assert line.endswith(f" was about lunch. […] (2026-03-01; part of note {minutes})")
    # From here on it takes no more than a quarter of the tokens, so it is told as a whole.
    whole = await package(here.api, "What is the kiln relay rated for?", 6000)
    assert f"- {before} {answer} {after} (" in whole["text"]
    assert "[…]" not in whole["text"]


@pytest.mark.feature("MOLT-92")
async def test_unsure_is_said_and_the_next_scope_is_suggested(place: Any) -> None:
    here = await place()
    nothing = await package(here.api, "the kiln")
    assert (nothing["text"], nothing["tokenCount"], nothing["hits"]) == ("", 0, [])
    assert (nothing["confidence"], nothing["suggestedScope"]) == (0, "TEAM")
    await here.many("The kiln relay hums.", "Sourdough needs a warm night.")
    known = await package(here.api, "the kiln relay hums")
    assert not known["text"].startswith(NOT_SURE)
    assert (known["confidence"] > 0.7, known["suggestedScope"]) == (True, "USER")
    team = await package(here.api, "the kiln relay hums", scope="TEAM")
    assert (team["text"], team["suggestedScope"]) == (known["text"], "USER")
    unknown = await package(here.api, "Which passport does Femi travel on?")
    assert unknown["confidence"] < 0.3
    assert unknown["text"].startswith(NOT_SURE + "\n\n## ")
    assert unknown["tokenCount"] >= -(-len(unknown["text"]) // 4)
    assert unknown["suggestedScope"] == "TEAM"
    local = await package(here.api, "the kiln relay hums", scope="LOCAL")
    assert (local["hits"], local["text"], local["suggestedScope"]) == ([], "", "USER")
    small = await package(here.api, "Which passport does Femi travel on?", 25)
    assert small["tokenCount"] <= 25


@pytest.mark.feature("MUMA-93")
async def test_it_is_ready_for_a_prompt(place: Any) -> None:
    here = await place()
    old, new, plan = await here.many(
        "The kiln is red.", "The kiln is blue.", "Paint the kiln.\n## home\n- Call Bo."
    )
    await here.many("The kiln lid is lent.", validTo="2026-04-01T00:00:00Z", confidence=0.3)
    await here.many(
        "The kiln arrived.",
        title="Delivery",
        speaker="Ada",
        occurredAt="2026-02-01T09:00:00Z",
        domain="work/hall",
    )
    await here.many("The kiln is haunted.", visibility="USER_ONLY")
    await here.api(LINK, a=new, b=old, k="contradicts")
    await here.api(LINK, a=plan, b=new, k="same-topic")
    made = await package(here.api, "kiln")
    assert '- The kiln is blue. (2026-03-01; contradicts "The kiln is red.")\n' in made["text"]
    assert "- The kiln is red. (2026-03-01)\n" in made["text"]
    assert "- Paint the kiln.\n  ## home\n  - Call Bo. (2026-03-01)" in made["text"]
    assert "- The kiln lid is lent. (2026-03-01; until 2026-04-01; not sure)" in made["text"]
    assert "## work/hall\n- Delivery: The kiln arrived. (2026-02-01, Ada)" in made["text"]
    assert "haunted" not in made["text"]
    assert made["text"].count("\n## ") == 1  # after the first heading; none of a note
    assert sorted(made["suggestedDomains"]) == ["general", "work/hall"]


@pytest.mark.feature("MUMA-93", "MUMA-29")
async def test_an_agent_gets_its_own_domains_first_and_nothing_that_is_hidden(place: Any) -> None:
    here = await place()
    await here.api(
        'mutation { registerAgent(input: {id: "coding", domains: ["business/coding"]}) { id } }'
    )
    here.clock.move(1)
    for i in range(12):
        await here.many(f"Relay {i} of the kiln clicks.", domain="personal/pots", visibility="OPEN")
    own = await here.many("The kiln driver polls each relay.", domain="business/coding")
    hidden = await here.many("The kiln relay is a gift.", visibility="PRIVATE")
    await here.api(LINK, a=own[0], b=hidden[0], k="explains")
    agent = here.api.as_agent("coding")
    made = await package(agent, "relay of the kiln clicks", 120)
    assert own[0] in shown(made)
    assert len(made["hits"]) > 1  # a fitting note of elsewhere, too
    assert hidden[0] not in shown(made)
    assert "explains" not in made["text"]
    person = await package(here.api, "relay of the kiln clicks")
    assert 'explains "The kiln relay is a gift."' in person["text"]


@pytest.mark.feature("MOLT-40")
async def test_what_is_in_a_package_counts_as_recalled_and_takes_feedback(place: Any) -> None:
    here = await place()
    notes = await here.many(*(f"Kiln report {i}: the glaze of pot {i} held." for i in range(12)))
    made = await package(here.api, "kiln report glaze", 60)
    assert 0 < len(made["hits"]) < 12
    await here.api(
        "mutation F($id: ID!, $used: [ID!]!) { feedback(recallId: $id, used: $used) }",
        id=made["recallId"],
        used=shown(made)[:1],
    )
    for note in notes:
        found = (await here.api(STATE, id=note))["note"]
        counted = (note in shown(made)) + (note == shown(made)[0])
        assert found["accessCount"] == counted
        assert (found["halfLifeHours"] > 168) is (note in shown(made))


async def test_it_takes_two_reads_more_than_a_recall(
    api: Any, monkeypatch: Any, context: Any
) -> None:
    for i in range(5):
        await api.remember(f"Kiln number {i} is warm.")
    sent: list[str] = []
    bind = context.graph._queries.bind

    def noted(name: str, *given: Any) -> Any:
        sent.append(name)
        return bind(name, *given)

    monkeypatch.setattr(context.graph._queries, "bind", noted)
    await api.recall("kiln warm", k=100)
    recall = sorted(sent)
    sent.clear()
    await package(api, "kiln warm")
    assert sorted(name for name in sent if name not in ("recall/log", "notes/reinforce")) == sorted(
        [*recall, "core/read", "links/of_notes"]
    )


@pytest.mark.parametrize("profile", ["SIMILARITY", "ACTIVATION", "ACT_R", "RELEVANCE", "RECENCY"])
async def test_every_profile_makes_one(place: Any, profile: str) -> None:
    here = await place()
    await here.many(*(f"Kiln report {i}: the glaze of pot {i} held." for i in range(12)))
    made = await package(here.api, "kiln report", 100, profile=profile)
    assert made["hits"]
    assert made["tokenCount"] <= 100
    assert made["suggestedDomains"] == ["general"]
