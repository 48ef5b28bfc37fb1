"""Leaks that are planted on purpose, one of each class, to prove that the machine finds it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString

import pytest

from graphmem.resources import folder
from graphmem.store.graph import Graph
from graphmem.store.queries import Queries

from .documents import Call
from .script import Live, NoteRef, Place, Step, place_of
from .vocabulary import NAMES, PADDING

# Every audience of those who own some; an ungated query would find what other tests have written.
EVERY: LiteralString = """UNWIND $audiences AS key
WITH DISTINCT split(key, '/')[0] + '/' AS owner
MATCH (a:Audience) WHERE a.key STARTS WITH owner
RETURN DISTINCT a.key AS key ORDER BY key"""


@dataclass(frozen=True, kw_only=True)
class Plant:
    """A leak: queries whose gate lets in all that a user has, or a part of the program changed, and
    the calls of the viewer that must show it."""

    name: str
    calls: tuple[Call, ...]
    queries: Sequence[str] = ()
    changes: Mapping[str, Callable[[str], str]] = field(default_factory=dict)

    def put(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Plant it for the length of a test."""
        original, read = Queries.text, Graph.read
        names, changes = frozenset(self.queries), self.changes

        def text(queries: Queries, name: str) -> Any:
            found = original(queries, name)
            return changes[name](found) if name in changes else found

        async def read_all(graph: Graph, query: str, /, **given: Any) -> Any:
            if query in names:
                rows = await graph._driver.execute_query(EVERY, audiences=given["audiences"])  # pyright: ignore[reportPrivateUsage]
                given["audiences"] = [row["key"] for row in rows.records]
            return await read(graph, query, **given)

        for name in (*names, *changes):
            assert (folder("cypher") / f"{name}.cypher").is_file(), name
        monkeypatch.setattr(Queries, "text", text)
        monkeypatch.setattr(Graph, "read", read_all)


def of(field_name: str, **arguments: Any) -> tuple[Call, ...]:
    """One query as the calls of a plant."""
    return (Call(field_name, arguments),)


SEEN = "we met zebulon with the copper roof of Halden."
FAR_DOWN = "Orlinda keeps the brass telescope of the lighthouse in Fennmoor."
TANAKA = ("Prof. Hiro Tanaka", "Hiro Tanaka")
QUESTION = {"query": "Who moved the copper roof for Halden?", "track": False, "explain": True}
PLANTS = (
    Plant(name="a hidden note by id", queries=("notes/load",), calls=of("note", id=NoteRef("h.0"))),
    Plant(name="totals count hidden notes", queries=("notes/count",), calls=of("notes", first=2)),
    Plant(
        name="a list holds what it does not show",
        queries=("notes/list",),
        calls=of("notes", first=3),
    ),
    Plant(
        name="an entity by hidden names",
        queries=("entities/get",),
        calls=of("entity", name="Zebulon"),
    ),
    Plant(name="a count of mentions", queries=("entities/get",), calls=of("entity", name="Halden")),
    Plant(
        name="what a note mentions",
        queries=("entities/of_notes", "entities/get"),
        calls=of("note", id=NoteRef("s.2")),
    ),
    Plant(
        name="relations",
        queries=("entities/relations_of",),
        calls=of("entity", name="Ada Kessler"),
    ),
    Plant(
        name="paths through hidden notes",
        queries=("entities/paths",),
        calls=of("paths", **{"from": "Ada Kessler", "to": "Blue Lantern"}),
    ),
    Plant(name="events", queries=("events/list",), calls=of("events", first=100)),
    Plant(
        name="the newest events",
        queries=("events/list_newest",),
        calls=of("events", first=100, newestFirst=True),
    ),
    Plant(
        name="replayed events",
        queries=("events/list",),
        calls=(Call("events", {"after": 0}, "Subscription"),),
    ),
    Plant(name="statistics", queries=("stats/notes",), calls=of("stats")),
    Plant(name="entities of statistics", queries=("stats/graph",), calls=of("stats")),
    Plant(name="what agents wrote", queries=("actors/count_notes",), calls=of("agents")),
    Plant(
        name="experts by hidden notes",
        queries=("recall/candidates", "expertise/evidence"),
        calls=of("whoKnows", topic=SEEN),
    ),
    Plant(name="audiences of hidden notes", queries=("stats/audiences",), calls=of("viewer")),
    Plant(
        name="what agents know",
        queries=("expertise/written", "expertise/evidence"),
        calls=of("agents"),
    ),
    Plant(
        name="candidates of a recall",
        queries=("recall/candidates", "notes/load"),
        calls=of("recall", input=QUESTION),
    ),
    Plant(
        name="passages of hidden notes",
        queries=("recall/candidates", "notes/load", "passages/near"),
        calls=of("recall", input=QUESTION | {"query": FAR_DOWN}),
    ),
    Plant(
        name="scores by the words of hidden notes",
        queries=("recall/candidates",),
        calls=of("recall", input=QUESTION),
    ),
    Plant(
        name="a walk over hidden notes",
        queries=("recall/neighbourhood",),
        calls=of("recall", input=QUESTION | {"query": "What does Halden use?"}),
    ),
    Plant(
        name="skills",
        queries=("commons/list_skills", "commons/load_skills"),
        calls=of("skills"),
    ),
    Plant(
        name="proposals",
        changes={
            "proposals/list": lambda text: text.replace(
                "(audience IN $audiences OR", "(audience IS NOT NULL OR"
            )
        },
        calls=of("proposals"),
    ),
    Plant(name="core memory", queries=("core/read",), calls=of("coreMemory")),
    Plant(
        name="revisions",
        queries=("notes/revisions", "notes/load"),
        calls=of("note", id=NoteRef("h.0")),
    ),
    Plant(
        name="conflicts", queries=("conflicts/list", "notes/load"), calls=of("conflicts", open=True)
    ),
    Plant(
        name="merges through hidden notes",
        queries=("entities/ties", "entities/get"),
        calls=of("entity", name="Halden"),
    ),
    Plant(
        name="entities to review",
        queries=("entities/list", "resolution/likely", "entities/get", "entities/like"),
        calls=of("entityReviews"),
    ),
    Plant(
        name="verdicts by hidden notes",
        queries=("resolution/verdicts",),
        calls=of("entityReviews", first=50),
    ),
    Plant(
        name="an event's number counts hidden ones",
        changes={"events/list": lambda text: text.replace(".seq,", "seq: e.seq % 1000000,")},
        calls=of("events", first=100),
    ),
)


def mutation(field_name: str, **arguments: Any) -> tuple[Call, ...]:
    """One mutation as the calls of a step."""
    return (Call(field_name, arguments, "Mutation"),)


def writes(place: Place, *drafts: dict[str, Any]) -> tuple[Call, ...]:
    """The call that writes notes to a place."""
    where = {"visibility": place.visibility, "domain": place.domain}
    given = {"notes": [where | draft for draft in drafts]}
    return mutation("rememberMany", input=given)


def world_of_plants() -> tuple[Step, ...]:
    """What the agent `narrow` reads: `s`; and what is hidden from it beside that: `h`."""
    seen, unseen = place_of("person", "OPEN", "work"), place_of("person", "USER_ONLY", "vault")
    private = place_of("keeper", "PRIVATE", "work")
    shown = writes(
        seen,
        {"content": "The Halden project uses Neo4j.", "entities": [{"name": NAMES[0]}]},
        {
            "content": "Ada Kessler repaired the kiln relay for Orion.",
            "entities": [{"name": "Ada Kessler"}, {"name": "Orion"}],
            "relations": [{"subject": "Ada Kessler", "predicate": "repaired", "object": "Orion"}],
        },
        {"content": SEEN, "mode": "VERBATIM"},
        {
            "content": "Carla Moreno lives beside Blue Lantern.",
            "entities": [{"name": "Blue Lantern"}],
        },
        *(
            {"content": f"{name} sings.", "entities": [{"name": name, "type": "person"}]}
            for name in TANAKA
        ),
    )
    hidden = writes(
        unseen,
        {
            "content": "Zebulon moved the copper roof with Ada Kessler for Halden.",
            "entities": [{"name": "Zebulon"}, {"name": "Halden"}, {"name": "Ada Kesler"}],
            "relations": [
                {"subject": "Halden", "predicate": "belongs to", "object": "Zebulon"},
                {"subject": "Ada Kessler", "predicate": "owns", "object": "Blue Lantern"},
            ],
        },
        {"content": "Who moved the copper roof for Halden? Halden, Halden.", "mode": "VERBATIM"},
        {"content": f"We sat there.{PADDING} {FAR_DOWN}", "mode": "VERBATIM"},
        *(
            {
                "content": f"{name} {does} Zebulon.",
                "entities": [{"name": name, "type": "person"}, {"name": "Zebulon"}],
            }
            for name, does in zip(TANAKA, ("met", "called"), strict=True)
        ),
    )
    days = ("March 15", "March 30")
    deadlines = writes(unseen, *({"content": f"The deadline of Kestrel is {d}."} for d in days))
    merged = {"keep": Live("entity", "Halden"), "merge": Live("entity", "Zebulon")}
    scratch = {"content": "Zebulon is late.", "visibility": "PRIVATE", "domain": "work"}
    proposed = mutation("remember", input=scratch)
    skill = {"name": "Call Zebulon", "procedure": "Dial 1."}
    given = {"left_out": True, "touches": (unseen,)}
    return (
        Step(actor="person", calls=shown, name="s"),
        Step(actor="person", calls=hidden, name="h", **given),
        Step(actor="keeper", calls=writes(private, {"content": "I moved to Rome."}), **given),
        Step(
            actor="asker",
            calls=proposed,
            left_out=True,
            touches=(place_of("asker", "PRIVATE", "work"),),
        ),
        Step(actor="person", calls=mutation("revise", id=NoteRef("h.0"), title="Zebulon"), **given),
        Step(actor="person", calls=mutation("mergeEntities", **merged), **given),
        Step(actor="person", calls=mutation("addSkill", **skill), name="k", **given),
        Step(
            actor="person",
            calls=mutation("setVisibility", id=NoteRef("k"), visibility="USER_ONLY"),
            **given,
        ),
        Step(
            actor="person",
            calls=mutation("setCoreBlock", name="critical", text="Zebulon has the key"),
            **given,
        ),
        Step(actor="person", calls=(Call("resolve_duplicates", {"days": 0}, "Job"),)),
        Step(actor="person", calls=deadlines, **given),  # a conflict, which the job would settle
        Step(
            actor="narrow",
            calls=mutation("addSkill", name="Repair the kiln relay", procedure="Cut the power."),
        ),
    )
