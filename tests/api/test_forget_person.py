"""All that names a person is listed, archived, redacted or destroyed; a proof says what is left."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from clients import Client
from named_nodes import named
from race_world import cypher
from said_everywhere import say_everywhere
from typer.testing import CliRunner

from graphmem.cli import forget_person as command
from graphmem.cli.program import build
from graphmem.errors import Invalid, Stale
from graphmem.server import ServerAddress
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.forgetting import many, redacting
from graphmem.services.forgetting.redacting import MARK, name_cutter, redact_names

NOTE = """query N($id: ID!) { note(id: $id) {
  status content title tags keywords metadata version entities { name } } }"""
PROPOSE = "mutation P($i: RememberInput!) { remember(input: $i) { proposal { id } } }"
COMMIT = """mutation D($id: ID!) { decideProposal(id: $id, decision: COMMIT) {
  result { content visibility } } }"""
REVISIONS = "query R($id: ID!) { note(id: $id) { revisions { content changes } } }"
REVISE = "mutation R($id: ID!, $c: String!) { revise(id: $id, content: $c) { version } }"
PROPOSALS = "{ proposals { id content } }"
RECALL = "query R($q: String!) { recall(input: {query: $q}) { hits { note { id content } } } }"


@pytest.fixture
def run(
    api: Client, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Awaitable[str]]:
    """Runs the command."""
    monkeypatch.setenv("GRAPHMEM_NEO4J_USER", neo4j_address.user)
    monkeypatch.setenv("GRAPHMEM_NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")

    async def run(*given: str, code: int = 0, answer: str = "", verb: str = "forget-person") -> str:
        words = [verb, "--user", api.user, "--neo4j", neo4j_address.bolt_uri, *given]
        done = await asyncio.to_thread(CliRunner().invoke, build(), words, answer)
        assert done.exit_code == code, done.output
        return done.stdout

    return run


async def say(api: Client, content: str, **given: Any) -> str:
    return (await api.remember(content, **given))["note"]["id"]


async def read(api: Client, note: str) -> Any:
    return ((await api.post(NOTE, id=note))["data"] or {}).get("note")


async def statuses(api: Client, notes: list[str]) -> list[str | None]:
    """None where there is no such note."""
    found = [await read(api, note) for note in notes]
    return [each and each["status"] for each in found]


async def say_about_ada(api: Client) -> tuple[list[str], str]:
    """Notes that mention the entity, and those that only contain its name; and another one."""
    notes = [
        await say(api, "Ada Kessler fires the kiln.", entities=[{"name": "Ada Kessler"}]),
        await say(api, "The kiln was fired early.", entities=[{"name": "Ada Kessler"}]),
        await say(api, "a letter for ada kessler came.", mode="VERBATIM"),
    ]
    kept = await say(api, "Carla Moreno keeps the key.", entities=[{"name": "Carla Moreno"}])
    return notes, kept


async def test_it_lists_asks_archives_and_is_taken_back(
    api: Client, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, kept = await say_about_ada(api)
    listed = await run("Ada Kessler")
    assert listed.startswith("3 notes found\n- ")
    assert f"- {notes[0]} Ada Kessler fires the kiln.\n" in listed
    assert "--yes does it: archives them" in listed
    monkeypatch.setattr(command, "at_a_terminal", lambda: True)
    asked = await run("Ada Kessler", answer="n\n")
    assert "Archive 3 notes? [y/N]" in asked
    assert await statuses(api, notes) == ["ACTIVE"] * 3
    done = await run("Ada Kessler", answer="y\n")
    assert done.count("3 notes found") == 1
    assert "3 notes archived; `graphmem clear --undo 20" in done
    assert await statuses(api, [*notes, kept]) == ["ARCHIVED"] * 3 + ["ACTIVE"]
    at = done.split("--undo ")[1].split("`")[0]
    assert await run("--undo", at, verb="clear") == "3 notes restored\n"
    assert await statuses(api, notes) == ["ACTIVE"] * 3


async def test_it_destroys_with_a_proof(api: Client, run: Any) -> None:
    notes, kept = await say_about_ada(api)
    await run("Ada Kessler", "--yes")
    listed = json.loads(await run("Ada Kessler", "--permanent", "--json"))
    assert (listed["found"], listed["done"], listed["remaining"]) == (3, 0, None)
    assert [each["id"] for each in listed["notes"]] == notes[::-1]
    done = json.loads(await run("Ada Kessler", "--permanent", "--yes", "--json"))
    assert (done["found"], done["done"]) == (3, 3)
    assert (done["holding"]["Note"], done["remaining"]) == (2, {})
    assert "backups and exports" in done["not_looked_at"]
    assert await statuses(api, [*notes, kept]) == [None] * 3 + ["ACTIVE"]
    text = await run("Carla", "--permanent", "--yes")
    assert "1 note destroyed for good\nhold a name now: nothing\nnot looked at: notes of" in text
    assert await run("Nobody Known") == "0 notes found\nhold a name: nothing\n"
    await run("Carla", "--permanent", "--redact", code=2)


async def test_what_could_not_be_counted_is_said(
    api: Client, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any) -> Any:
        raise TimeoutError

    await say_about_ada(api)
    monkeypatch.setattr(many, "count_holding", fails)
    done = await run("Ada Kessler", "--permanent", "--yes")
    assert "hold a name: could not be counted in time\n" in done
    assert "hold a name now: could not be counted in time\nnot looked at: " in done


async def test_a_name_is_cut_out_of_notes_and_of_their_past(
    context: Context, api: Client, new_user: Any, run: Any
) -> None:
    other = api.as_user(new_user())
    for client in (api, other):
        await say(client, "Zoltan Achterberg leads the works in Ulm.")
    note = await say(
        api,
        "Ask ZOLTAN  ACHTERBERG about the Achterberg kiln, or zoltan.",
        title="Oven of Zoltan Achterberg",
        tags=["zoltan-achterberg", "kilns"],
        keywords=["zoltan_achterberg"],
        entities=[{"name": "Zoltan Achterberg", "type": "PERSON"}, {"name": "Ulm"}],
        relations=[{"subject": "Zoltan Achterberg", "predicate": "works in", "object": "Ulm"}],
        metadata={"host": "Zoltan Achterberg", "Zoltan Achterberg": [1]},
    )
    await api(REVISE, id=note, c="Zoltan Achterberg's kiln is in Ulm. Zoltans are many.")
    access = await open_access(context, api.user, None)
    done = json.loads(
        await run("Zoltan Achterberg", "--also", "Zoltan", "--redact", "--yes", "--json")
    )
    assert (done["action"], done["found"], done["done"]) == ("redact", 2, 2)
    assert done["remaining"].keys() <= {"Note", "Revision"}  # "Zoltans"
    now = await read(api, note)
    assert now["content"] == f"{MARK}'s kiln is in Ulm. Zoltans are many."
    assert now["title"] == f"Oven of {MARK}"
    assert now["tags"] == ["kilns"]
    assert now["metadata"] == {"host": MARK, MARK: [1]}
    assert [each["name"] for each in now["entities"]] == ["Ulm"]
    past = str((await api(REVISIONS, id=note))["note"]["revisions"])
    assert f"Ask {MARK} about the Achterberg kiln, or {MARK}." in past
    assert "achterberg" not in past.replace("the Achterberg kiln", "").lower()
    everywhere = await cypher(context, HOLDING, user=api.user, text="zoltan achterberg")
    assert everywhere == []
    found = (await other(RECALL, q="Who leads the works in Ulm?"))["recall"]["hits"]
    assert found[0]["note"]["content"].startswith("Zoltan Achterberg leads")
    again = await redact_names(context, access, ["Zoltan Achterberg", "Zoltan"])
    assert (again.notes, again.others, again.entities, again.left) == (0, 0, 0, 0)


HOLDING = """MATCH (n) WHERE n.user = $user OR n.stream = $user
UNWIND keys(n) AS key
WITH n, key, n[key] AS value WHERE value IS :: STRING NOT NULL AND toLower(value) CONTAINS $text
RETURN labels(n), key"""


async def test_a_name_is_cut_out_of_every_other_text(
    context: Context, api: Client, new_user: Any
) -> None:
    mate, name = api.as_user(new_user()), f"Quendolin{new_user()}"
    said = await say_everywhere(context, api, mate, name)
    access = await open_access(context, api.user, None)
    done = await redact_names(context, access, [name])
    assert (done.left, done.others > 8) == (0, True)
    left = {kind for kind, _ in await named(context, name, any_case=True)}
    of_the_team = {"Note", "Revision", "Sop", "BoardEntry"}
    assert left <= of_the_team
    of_user = await many.count_remaining(context, access, [name])
    assert of_user == {}
    assert name in str((await mate("{ board { value } }"))["board"])
    found = {each["id"]: each for each in (await api(PROPOSALS))["proposals"]}
    assert found[said.pending]["content"] == f"The kiln opens by {MARK}."


@pytest.mark.parametrize(
    ("names", "text", "clean"),
    [
        (["Ann"], "Ann and ANN's annual plan; Anna", f"{MARK} and {MARK}'s annual plan; Anna"),
        (["Bo Li", "Bo"], "Bo Li, bo-li, Bo_Li, Bo\nLi, Bo", ", ".join([MARK] * 5)),
        (["J.R. (Joe)"], "J.R. (Joe) and JXRX", f"{MARK} and JXRX"),
        (["Jürgen"], "JÜRGEN, jürgens", f"{MARK}, jürgens"),
        (["李雷"], "问李雷。 李雷 came", f"问李雷。 {MARK} came"),
    ],
)  # fmt: skip
def test_whole_words_are_cut_in_any_case(names: list[str], text: str, clean: str) -> None:
    cutter = name_cutter(names, "user:u")
    assert cutter.clean({"a": [text]}) == {"a": [clean]}
    assert cutter.clean(clean) == clean


@pytest.mark.parametrize("names", [[], [""], ["A"], ["__"], ["- _ -"], ["x" * 5_000], ["a\x00b"]])
async def test_odd_names_change_nothing(context: Context, api: Client, names: list[str]) -> None:
    note = await say(api, "A kiln.")
    access = await open_access(context, api.user, None)
    with pytest.raises(Invalid):
        await redact_names(context, access, names)
    assert (await read(api, note))["version"] == 1


@pytest.mark.parametrize("error", [Stale("changed"), Invalid("too deep")])
async def test_one_note_that_can_not_be_changed_keeps_no_other(
    context: Context, api: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    first = await say(api, "Zoltan keeps the key.")
    second = await say(api, "The door was painted by Zoltan.")
    usual, ids = redacting.cut_note, sorted([first, second])

    async def cut(context: Any, cutter: Any, access: Any, note: str, *more: Any) -> bool:
        if note == ids[0]:
            raise error
        return await usual(context, cutter, access, note, *more)

    monkeypatch.setattr(redacting, "cut_note", cut)
    access = await open_access(context, api.user, None)
    done = await redact_names(context, access, ["Zoltan"])
    assert (done.notes, done.left) == (1, 1)
    assert "Zoltan" not in (await read(api, ids[1]))["content"]
    monkeypatch.undo()
    done = await redact_names(context, access, ["Zoltan"])
    assert (done.notes, done.left) == (1, 0)


async def test_it_is_found_over_two_lines_and_its_words_are_no_keywords(
    context: Context, api: Client
) -> None:
    texts = ("Met Zoltan\nAchterberg today.", "Met Zoltan   Achterberg again.", "Zoltan-Achterberg")
    notes = [await say(api, text, mode="VERBATIM") for text in texts]
    notes.append(await say(api, "Zoltan Achterberg fires the kiln in Ulm."))
    access = await open_access(context, api.user, None)
    before = await many.count_remaining(context, access, ["Zoltan Achterberg"])
    assert before is not None
    assert before["Note"] == 3  # not the one with three blanks, which is redacted, too
    assert (await redact_names(context, access, ["Zoltan Achterberg"])).notes == 4
    for note in notes:
        now = await read(api, note)
        assert "Zoltan" not in now["content"]
        words = {each.lower() for each in (*now["keywords"], *now["tags"])}
        assert not {"zoltan", "achterberg"} & words


async def test_words_inside_others_are_not_found(api: Client, run: Any) -> None:
    kept = await say(api, "The annual plan is planned.")
    named_ann = await say(api, "Call Ann.")
    done = json.loads(await run("Ann", "--permanent", "--yes", "--json"))
    assert (done["found"], done["done"]) == (1, 1)
    assert await statuses(api, [kept, named_ann]) == ["ACTIVE", None]


@pytest.mark.parametrize("name", ["Kind", "Open", "Title", "Status"])
async def test_what_a_program_reads_is_no_text(context: Context, api: Client, name: str) -> None:
    """Names of fields, and words such as OPEN, stay as they are."""
    shy = api.as_agent("shy")
    await api('mutation { registerAgent(input: {id: "shy", writes: PROPOSE}) { id } }')
    given = {"visibility": "OPEN", "entities": [{"name": f"{name} Moreno"}]}
    made = await shy(PROPOSE, i={**given, "content": f"{name} Moreno keeps the key."})
    note = await say(api, f"{name} Moreno paints.", title=f"Works of {name} Moreno")
    await api(REVISE, id=note, c=f"{name} Moreno fires.")
    access = await open_access(context, api.user, None)
    await redact_names(context, access, [name])
    proposal = made["remember"]["proposal"]["id"]
    accepted = (await api(COMMIT, id=proposal))["decideProposal"]["result"]
    assert accepted == {"content": f"{MARK} Moreno keeps the key.", "visibility": "OPEN"}
    revisions = (await api(REVISIONS, id=note))["note"]["revisions"]
    assert any("title" in each["changes"] or each["changes"] for each in revisions)
    assert name not in str([each["content"] for each in revisions])


@pytest.mark.parametrize("alias", ["Zolly", "Jean-Zolly", "O'Zolly", "Z.O.L.", "Zoltán Árpád"])
async def test_another_entity_with_that_name_as_an_alias_stays(
    context: Context, api: Client, alias: str
) -> None:
    robert = {"name": "Robert Achterberg", "type": "PERSON", "aliases": [alias]}
    note = await say(
        api,
        f"Robert Achterberg, also {alias}, works in Ulm.",
        entities=[robert, {"name": "Ulm"}],
        relations=[{"subject": "Robert Achterberg", "predicate": "works in", "object": "Ulm"}],
    )
    access = await open_access(context, api.user, None)
    await redact_names(context, access, [alias])
    assert {"Robert Achterberg", "Ulm"} <= {e["name"] for e in (await read(api, note))["entities"]}
    assert await many.count_remaining(context, access, [alias]) == {}


async def test_a_name_with_blanks_around_it_is_proved_as_well(api: Client, run: Any) -> None:
    await api.as_agent("bot")('mutation { openSession(task: "Write to Zoltan") { id } }')
    listed = json.loads(await run(" Zoltan_ ", "--redact", "--json"))
    assert (listed["found"], listed["holding"]) == (0, {"Session": 1})
    done = json.loads(await run(" Zoltan_ ", "--redact", "--yes", "--json"))
    assert (done["others"], done["remaining"]) == (1, {})


async def test_more_notes_than_one_query_lists_are_found(
    context: Context, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "MOST_READ", 2)
    notes = [await say(api, f"Ann {word}.") for word in ("paints", "writes a plan", "bakes bread")]
    await say(api, "The annual plan.")
    await say(api, "It was planned.")
    access = await open_access(context, api.user, None)
    found = await many.find_named(context, access, ["Ann"], permanent=True)
    assert [each.id for each in found] == notes[::-1]


async def test_its_words_go_from_the_keywords_of_earlier_versions(
    context: Context, api: Client
) -> None:
    note = await say(api, "Zoltan Achterberg fires the kiln in Ulm.")
    await api(REVISE, id=note, c="Carla Moreno paints the door.")
    access = await open_access(context, api.user, None)
    await redact_names(context, access, ["Zoltan Achterberg"])
    revisions = (await api(REVISIONS, id=note))["note"]["revisions"]
    assert "achterberg" not in str(revisions).lower()
    assert "kiln" in str(revisions)


async def test_a_note_that_changes_between_two_reads_is_read_again(
    context: Context, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = await say(api, "Zoltan keeps the key.")
    usual, reads = redacting.read_texts, 0

    async def read_then_change(*given: Any) -> Any:
        nonlocal reads
        found = await usual(*given)
        if not reads:
            await api(REVISE, id=note, c="Zoltan keeps the blue key.")
        reads += 1
        return found

    monkeypatch.setattr(redacting, "read_texts", read_then_change)
    access = await open_access(context, api.user, None)
    done = await redact_names(context, access, ["Zoltan"])
    assert (done.notes, done.left, reads) == (1, 0, 2)
    assert (await read(api, note))["content"] == f"{MARK} keeps the blue key."
    assert "Zoltan" not in str((await api(REVISIONS, id=note))["note"]["revisions"])
