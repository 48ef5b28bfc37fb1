"""Reading: for every field of Query, calls with every argument it takes."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from .documents import Call
from .script import TEAM, USER, Live, NoteRef
from .vocabulary import (
    CHOICES,
    DOMAINS,
    EPISODES,
    EXTERNAL,
    MOMENTS,
    NAMES,
    QUESTIONS,
    SECRET,
    TAGS,
    chance,
    draft,
)

EVERY_NAME = (*NAMES, *SECRET, "Nobody Known")
# The noise of ACT_R goes by the ids of notes, which differ from world to world.
PROFILES = ("BALANCED", "SIMILARITY", "ACTIVATION", "RELEVANCE", "RECENCY", "TIERED")
PROPOSED = (
    "PENDING",
    "AWAITING_OWNER",
    "AWAITING_ORCHESTRATOR",
    "DEFERRED",
    "CONFLICT",
    "COMMITTED",
    "REJECTED",
)
STATUSES = ("ACTIVE", "FADING", "DORMANT", "ARCHIVED", "SUPERSEDED")
ASKED = (*EVERY_NAME, *QUESTIONS, *TAGS, *DOMAINS)  # of those who know


def then(rng: Random, *more: str) -> str:
    """An instant of the past; where leaks are searched for, mostly one between two steps."""
    if "GRAPHMEM_FUZZ_SECONDS" in os.environ and chance(rng, 0.8):
        return f"2026-03-02T09:{rng.randint(3, 50):02}:30Z"
    return rng.choice((*MOMENTS, *more))


def note_filter(rng: Random) -> dict[str, Any]:
    """A filter with one or two of its fields."""
    every: dict[str, Any] = {
        "domain": rng.choice(DOMAINS),
        "tags": rng.sample(TAGS, 1),
        "kinds": [rng.choice(("EPISODIC", "SEMANTIC", "PROCEDURAL"))],
        "types": [
            rng.choice(("FACT", "PREFERENCE", "DECISION", "TASK", "EVENT", "EMOTION", "CORRECTION"))
        ],
        "tiers": [rng.choice(("FOUNDATIONAL", "WORKING", "DAILY", "SHORT_TERM", "LONG_TERM"))],
        "statuses": rng.sample(STATUSES, 2),
        "visibilities": rng.sample(CHOICES, 2),
        "entity": rng.choice(EVERY_NAME),
        "author": rng.choice(("narrow", "peer", "plain", "keeper", USER)),
        "episode": rng.choice(EPISODES),
        "externalPrefix": rng.choice(("diary", "SOUL")),
        "text": rng.choice(("kiln", "ZEBULON", "Halden")),
        "since": MOMENTS[0],
        "until": rng.choice(MOMENTS),
    }
    return {name: every[name] for name in rng.sample(sorted(every), rng.randint(1, 2))}


def recall_input(rng: Random, *, track: bool) -> dict[str, Any]:
    """A question with options; noise is held still by a seed."""
    given: dict[str, Any] = {
        "query": rng.choice(QUESTIONS),
        "k": rng.choice((3, 10)),
        "profile": rng.choice((*PROFILES, "BALANCED", "BALANCED", "BALANCED")),
        "explain": True,
        "randomSeed": 7,
        "track": track,
    }
    optional: dict[str, Any] = {
        "scope": rng.choice(("LOCAL", "USER", "TEAM")),
        "filter": note_filter(rng),
        "hops": rng.randint(0, 3),
        "deep": True,
        "explicit": True,
        "asOf": then(rng),
        "minScore": rng.choice((0.1, 0.5)),
    }
    for name, value in optional.items():
        if chance(rng, 0.2):
            given[name] = value
    if chance(rng, 0.04):
        given["sessionId"] = rng.choice(("none", Live("session")))
    return given


def remember_input(rng: Random, actor: str) -> dict[str, Any]:
    """A note that a viewer writes, or asks what would become of it."""
    given = draft(rng, None, actor, free=True)
    if chance(rng, 0.6):
        given["visibility"] = rng.choice(CHOICES)
    if chance(rng, 0.05):
        given["sessionId"] = rng.choice(("none", Live("session"), Live("session")))
    return given


def note(rng: Random, notes: Sequence[NoteRef]) -> Call:
    """A note by id or by external id, perhaps as it was."""
    given: dict[str, Any] = {"id": rng.choice(notes)} if notes else {}
    if chance(rng, 0.4):
        given = {"externalId": rng.choice(tuple(EXTERNAL.values()))}
    if chance(rng, 0.2):
        given["asOf"] = then(rng, "2026-03-02T09:08:30Z")
    return Call("note", given)


def _notes(rng: Random, _: Sequence[NoteRef]) -> Call:
    given: dict[str, Any] = {"first": rng.choice((2, 8))}
    if chance(rng, 0.8):
        given["filter"] = note_filter(rng)
    if chance(rng, 0.3):
        given["after"] = Live("cursor", index=rng.randint(0, 3))
    if chance(rng, 0.2):
        given["asOf"] = then(rng, "2026-03-02T09:08:30Z")
    return Call("notes", given)


def _entity(rng: Random, _: Sequence[NoteRef]) -> Call:
    name = rng.choice(EVERY_NAME)
    given: dict[str, Any] = {"id": Live("entity", name)} if chance(rng, 0.4) else {"name": name}
    if chance(rng, 0.2):
        given["asOf"] = then(rng)
    return Call("entity", given)


def _events(rng: Random, notes: Sequence[NoteRef]) -> Call:
    every: dict[str, Any] = {
        "after": rng.choice((0, 3, 2_147_483_647, Live("seq", index=rng.randint(0, 9)))),
        "types": [rng.choice(("CREATE", "EDIT", "LINK", "VISIBILITY", "MERGE", "ALERT"))],
        "actor": rng.choice(("manual", "bot:peer", "bot:narrow")),
        "subjectId": rng.choice(notes) if notes else "none",
        "since": "2026-03-02T09:05:00Z",
        "until": "2026-03-02T09:20:00Z",
        "before": rng.choice((3, 2_147_483_647, Live("seq", index=rng.randint(0, 9)))),
        "newestFirst": True,
    }
    chosen = rng.sample(sorted(every), rng.randint(0, 2))
    return Call("events", {"first": rng.choice((7, 100)), **{name: every[name] for name in chosen}})


def _context(rng: Random, _: Sequence[NoteRef]) -> Call:
    given: dict[str, Any] = {"task": rng.choice(QUESTIONS)}
    if chance(rng, 0.3):
        given["tokenBudget"] = rng.choice((40, 300))
    if chance(rng, 0.3):
        given["scope"] = rng.choice(("LOCAL", "USER", "TEAM"))
    if chance(rng, 0.3):
        given["profile"] = rng.choice(PROFILES)
    if chance(rng, 0.3):
        given["asOf"] = then(rng)
    return Call("context", {"input": given})


def _paths(rng: Random, _: Sequence[NoteRef]) -> Call:
    ends = rng.sample(EVERY_NAME, 2)
    given: dict[str, Any] = {"from": ends[0], "to": ends[1]}
    if chance(rng, 0.5):
        given |= {"maxHops": rng.randint(2, 4), "first": 5}
    if chance(rng, 0.2):
        given["asOf"] = then(rng, "2026-03-02T09:08:30Z")
    return Call("paths", given)


def _neighbourhood(rng: Random, notes: Sequence[NoteRef]) -> Call:
    middles = [
        ("ENTITY", rng.choice(EVERY_NAME)),
        ("AGENT", rng.choice(("narrow", "peer", "plain", "keeper"))),
        ("TOPIC", rng.choice(ASKED)),
        *([("NOTE", rng.choice(notes))] if notes else []),
    ]
    kind, of = rng.choice(middles)
    given: dict[str, Any] = {"kind": kind, "of": of, "depth": rng.randint(1, 3)}
    optional: dict[str, Any] = {
        "first": rng.choice((4, 60)),
        "kinds": rng.sample(("NOTE", "ENTITY", "AGENT", "TOPIC"), 2),
        "since": MOMENTS[0],
        "until": rng.choice(MOMENTS),
    }
    return Call("neighbourhood", given | {n: v for n, v in optional.items() if chance(rng, 0.3)})


def _some(rng: Random, **given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if chance(rng, 0.5)}


Maker = Callable[[Random, Sequence[NoteRef]], Call]
READS: Mapping[str, Maker] = {
    "commons": lambda rng, _: Call(
        "commons",
        {"topic": rng.choice(NAMES), "k": 3}
        | _some(rng, domain=rng.choice(DOMAINS), role=rng.choice(("narrow", "peer", "worker"))),
    ),
    "skills": lambda rng, _: Call(
        "skills", _some(rng, search="repair the kiln relay", tags=rng.sample(TAGS, 1), first=9)
    ),
    "sop": lambda rng, _: Call("sop", {"domain": rng.choice(DOMAINS)}),
    "board": lambda rng, _: Call(
        "board", _some(rng, scope=rng.choice(("team", "work")), prefix="a", team=TEAM, first=9)
    ),
    "whoKnows": lambda rng, _: Call("whoKnows", {"topic": rng.choice(ASKED), "first": 5}),
    "route": lambda rng, _: Call("route", {"task": rng.choice(ASKED)}),
    "consult": lambda rng, _: Call(
        "consult",
        {"question": rng.choice(ASKED), "k": 4, "track": False}
        | _some(rng, topic=rng.choice(ASKED)),
    ),
    "conflicts": lambda rng, _: Call("conflicts", {"open": chance(rng, 0.5), "first": 9}),
    "coreMemory": lambda rng, _: Call("coreMemory", _some(rng, asOf=then(rng))),
    "clusterCandidates": lambda rng, _: Call("clusterCandidates", {"first": 9}),
    "jobs": lambda rng, _: Call("jobs"),
    "health": lambda rng, _: Call("health"),
    "settings": lambda rng, _: Call("settings"),
    "alerts": lambda rng, _: Call("alerts"),
    "auditDigests": lambda rng, _: Call("auditDigests", _some(rng, first=5)),
    "jobRuns": lambda rng, _: Call("jobRuns", {"first": 5} | _some(rng, job="maintain_memory")),
    "reflections": lambda rng, _: Call(
        "reflections",
        {"first": 9}
        | _some(
            rng,
            status=rng.choice(("PENDING", "APPLIED", "PARTIAL", "REJECTED", "REVERTED")),
        ),
    ),
    "handoffs": lambda rng, _: Call("handoffs", _some(rng, first=9)),
    "proposals": lambda rng, _: Call(
        "proposals", {"first": 9} | _some(rng, status=rng.choice(PROPOSED))
    ),
    "noteCopies": lambda rng, _: Call("noteCopies", {"first": 9}),
    "entityReviews": lambda rng, _: Call("entityReviews", {"first": 9}),
    "viewer": lambda rng, _: Call("viewer"),
    "invitations": lambda rng, _: Call("invitations"),
    "invitationBlocks": lambda rng, _: Call("invitationBlocks"),
    "note": note,
    "notes": _notes,
    "previewRemember": lambda rng, _: Call(
        "previewRemember", {"note": remember_input(rng, rng.choice(("person", "narrow", "peer")))}
    ),
    "recall": lambda rng, _: Call("recall", {"input": recall_input(rng, track=False)}),
    "context": _context,
    "entity": _entity,
    "entities": lambda rng, _: Call("entities", {"first": 9} | _some(rng, search="le")),
    "paths": _paths,
    "neighbourhood": _neighbourhood,
    "agents": lambda rng, _: Call("agents"),
    "defaultAgentMemory": lambda rng, _: Call("defaultAgentMemory"),
    "events": _events,
    "stats": lambda rng, _: Call("stats", _some(rng, asOf=then(rng))),
}
BESIDE = {
    "consult": 2,
    "note": 2,
    "entity": 5,
    "jobs": 1,
    "health": 1,
    "settings": 1,
    "defaultAgentMemory": 1,
    "jobRuns": 1,
    "paths": 1,
    "neighbourhood": 1,
    "previewRemember": 1,
}  # else as many as TOGETHER
TOGETHER = 7
OFTEN = {
    "consult": 3,
    "whoKnows": 4,
    "route": 2,
    "recall": 4,
    "notes": 3,
    "entity": 3,
    "note": 4,
    "events": 3,
    "context": 2,
    "paths": 2,
    "neighbourhood": 4,
    "previewRemember": 3,
}


def everything(rng: Random, notes: Sequence[NoteRef]) -> Iterator[tuple[Call, ...]]:
    """Reads of everything that there is, some in each document; what may fail as a whole is alone
    in its own, for an error hides what is beside it."""
    yield (Call("notes", {"first": 40}, light=True), Call("events", {"first": 200}))
    ends = (("Halden", "Ada Kessler"), ("Zebulon", "Carla Moreno"))
    calls: dict[str, list[Call]] = {
        "entity": [Call("entity", {"name": name}) for name in EVERY_NAME],
        "note": [Call("note", {"id": one}) for one in notes],
        "paths": [Call("paths", {"from": one, "to": other}) for one, other in ends],
        "": [_notes_with(name) for name in EVERY_NAME],
    }
    for name, make in READS.items():
        for _ in range(OFTEN.get(name, 1)):
            call = make(rng, notes)
            alone = name in BESIDE or "sessionId" in call.arguments.get("input", {})
            calls.setdefault(name if alone else "", []).append(call)
    for name, found in calls.items():
        size = BESIDE.get(name, 1 if name else TOGETHER)
        for i in range(0, len(found), size):
            yield tuple(found[i : i + size])


def _notes_with(name: str) -> Call:
    return Call("notes", {"first": 5, "filter": {"entity": name}}, light=True)


def subscription(rng: Random) -> Call:
    """A subscription that replays, then goes on live; it gets the mark at its end in any case."""
    after = rng.choice((0, 0, 2_147_483_647, Live("seq", index=rng.randint(0, 9))))
    given: dict[str, Any] = {"after": after}
    if chance(rng, 0.2):
        given["channels"] = ["memory_update", "state_change"]
    if chance(rng, 0.2):
        given["types"] = ["CREATE", "EDIT", "VISIBILITY"]
    if chance(rng, 0.2):
        given["domain"] = "work"
    return Call("events", given, "Subscription")


def job_run(rng: Random) -> Call:
    """The subscription for admins, who are told of everybody; it is not compared."""
    return Call("jobRun", {"id": rng.choice(("", "unknown"))}, "Subscription")
