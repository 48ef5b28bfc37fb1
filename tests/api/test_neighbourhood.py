"""What lies around a note, an entity, an agent or a topic, as far as the viewer may read it."""

from typing import Any

import pytest

AROUND = """query N($kind: NodeKind!, $of: String!, $depth: Int, $first: Int, $kinds: [NodeKind!],
  $since: DateTime, $until: DateTime) { neighbourhood(kind: $kind, of: $of, depth: $depth,
  first: $first, kinds: $kinds, since: $since, until: $until) { more
  nodes { id kind label hops } edges { source target kind } } }"""
AGENT = "mutation($i: AgentInput!) { registerAgent(input: $i) { id } }"
LINK = 'mutation L($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "supports") { id } }'


async def around(api: Any, kind: str, of: str, **given: Any) -> Any:
    """The neighbourhood, with edges that name what they tie."""
    found = (await api(AROUND, kind=kind, of=of, **given))["neighbourhood"]
    nodes = found["nodes"]
    assert len({(each["kind"], each["id"]) for each in nodes}) == len(nodes)
    found["edges"] = {
        (nodes[each["source"]]["label"], each["kind"], nodes[each["target"]]["label"])
        for each in found["edges"]
    }
    return found


def labels(found: Any) -> dict[str, int]:
    """How far each node is away, by what it is called."""
    return {each["label"]: each["hops"] for each in found["nodes"]}


async def remember(api: Any, title: str, *names: str, **given: Any) -> str:
    entities = [{"name": name, "type": "thing"} for name in names]
    options = {"title": title, "entities": entities, "mode": "VERBATIM", "domain": "work"}
    content = given.pop("content", f"{title} is told.")
    return (await api.remember(content, **(options | given)))["note"]["id"]


@pytest.mark.feature("MUMA-29", "MOLT-57")
async def test_each_step_leads_on_to_what_is_tied(api: Any) -> None:
    relation = {"subject": "Orla", "predicate": "leads", "object": "Brindlow"}
    first = await remember(api, "Note one", "Orla", "Brindlow", relations=[relation])
    second = await remember(api, "Note two", "Brindlow", "Quarrick")
    third = await remember(api, "Note three")
    await api(LINK, a=second, b=third)
    found = await around(api, "ENTITY", "orla")
    assert labels(found) == {"Orla": 0, "Brindlow": 1, "Note one": 1}
    assert not found["more"]
    assert found["edges"] == {
        ("Orla", "leads", "Brindlow"),
        ("Note one", "mentions", "Orla"),
        ("Note one", "mentions", "Brindlow"),  # the outermost are tied, too
    }
    assert labels(await around(api, "ENTITY", "Orla", depth=2))["Note two"] == 2
    far = await around(api, "ENTITY", "Orla", depth=3)
    assert labels(far)["Quarrick"] == labels(far)["Note three"] == 3
    assert ("Note two", "supports", "Note three") in far["edges"]
    by_id = await around(api, "ENTITY", found["nodes"][0]["id"])
    assert by_id == found
    note = await around(api, "NOTE", first)
    assert labels(note) == {"Note one": 0, "Orla": 1, "Brindlow": 1}


async def test_the_number_of_nodes_and_their_kinds_and_times_are_bounded(api: Any) -> None:
    for i in range(30):
        await remember(api, f"Note {i}", "Orla", occurredAt=f"2026-05-{i + 1:02}T12:00:00Z")
    few = await around(api, "ENTITY", "Orla", first=5)
    assert len(few["nodes"]) == 5
    assert few["more"]
    fan = await around(api, "ENTITY", "Orla", first=150)
    assert (len(fan["nodes"]), fan["more"]) == (26, True)  # of one node not all are followed
    assert labels(await around(api, "ENTITY", "Orla", kinds=["AGENT"])) == {"Orla": 0}
    span = {"since": "2026-05-29T00:00:00Z", "until": "2026-05-29T23:00:00Z"}
    assert labels(await around(api, "ENTITY", "Orla", **span)) == {"Orla": 0, "Note 28": 1}
    assert not (await around(api, "ENTITY", "Orla", kinds=["AGENT"]))["more"]


async def test_an_agent_and_a_topic_lead_on_from_the_middle(api: Any) -> None:
    await api(AGENT, i={"id": "clerk", "name": "The clerk", "domains": ["work"]})
    given = {"content": "The kiln relay was repaired.", "tags": ["kiln relay"]}
    await remember(api.as_agent("clerk"), "Note one", "Orla", **given)
    found = await around(api, "AGENT", "clerk", depth=2)
    assert labels(found)["Note one"] == 1
    assert labels(found)["Orla"] == 2
    assert ("The clerk", "wrote", "Note one") in found["edges"]
    topic = await around(api, "TOPIC", "kiln relay")
    assert labels(topic) == {"kiln relay": 0, "The clerk": 1, "Note one": 1}
    assert ("Note one", "about", "kiln relay") in topic["edges"]
    assert labels(await around(api, "TOPIC", "sonnets")) == {"sonnets": 0}


@pytest.mark.feature("MUMA-26")
async def test_no_step_leads_through_what_is_hidden(api: Any) -> None:
    await api(AGENT, i={"id": "clerk", "domains": ["work"]})
    relation = {"subject": "Orla", "predicate": "leads", "object": "Secret"}
    shown = await remember(api, "Note one", "Orla")
    agent = api.as_agent("clerk")
    before = await around(agent, "ENTITY", "Orla", depth=3)
    hidden = await remember(
        api, "Hidden", "Orla", "Secret", relations=[relation], visibility="PRIVATE"
    )
    await api(LINK, a=shown, b=hidden)
    assert await around(agent, "ENTITY", "Orla", depth=3) == before
    assert "Secret" in labels(await around(api, "ENTITY", "Orla"))
    assert "Hidden" in labels(await around(api, "NOTE", shown))
    missing = {"kind": "NOTE", "of": "01920000-0000-7000-8000-000000000000"}
    told = (await agent.post(AROUND, **missing))["errors"]
    assert (await agent.post(AROUND, kind="NOTE", of=hidden))["errors"] == told
    assert await agent.code(AROUND, kind="ENTITY", of="Secret") == "NOT_FOUND"
    stranger = api.as_user(f"{api.user}-other")
    assert await stranger.code(AROUND, kind="NOTE", of=shown) == "NOT_FOUND"
    assert await stranger.code(AROUND, kind="AGENT", of="clerk") == "NOT_FOUND"
