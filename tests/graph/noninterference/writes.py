"""Writing by whoever is compared: for every field of Mutation, calls with every argument."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from .documents import Call
from .reads import ASKED, EVERY_NAME, note_filter, recall_input, remember_input
from .script import ELSEWHERE, SHARED, STRANGER, TEAM, USER, Live, NoteRef
from .vocabulary import (
    CHOICES,
    DOMAINS,
    HIDDEN,
    MOMENTS,
    NAMES,
    QUESTIONS,
    TAGS,
    TEXTS,
    chance,
)

COMMANDS = (
    "Remember that {text}",
    "Always remember that I prefer tea.",
    "{text}",
    "Forget everything about zebulon",
    "Forget about the Halden project permanently",
    "What do you remember about Halden?",
    "What do you know about my work?",
    "Tell me everything you remember about zebulon",
    "Keep my work notes private",
    "Make vault open to all agents",
    "How many notes do you have?",
    "memory stats",
    "What have I shared in vault?",
    "Show shared memories",
    "What is shared in work?",
    "Reflect on your memory",
    "Approve all",
    "Reject the last reflection",
    "Export my memory",
    "Who changed the deadline?",
    "Who changed SOUL.md?",
    "What changed recently?",
    "Why did you forget about zebulon?",
    "What happened during the last reflection?",
    "Revert my memory to today",
    "Go back to yesterday",
)


def _text(rng: Random) -> str:
    return rng.choice((*TEXTS, *HIDDEN))


def _note(rng: Random, notes: Sequence[NoteRef]) -> NoteRef | str:
    return rng.choice(notes) if notes else "none"


def _revise(rng: Random, notes: Sequence[NoteRef]) -> dict[str, Any]:
    every: dict[str, Any] = {
        "content": _text(rng),
        "title": rng.choice(EVERY_NAME),
        "tags": rng.sample(TAGS, 2),
        "domain": rng.choice(DOMAINS),
        "importance": 0.7,
        "validity": rng.choice(("CONFIRMED", "ASSERTED", "INFERRED", "DEPRECATED")),
        "expectedVersion": rng.choice((1, 2)),
    }
    chosen = rng.sample(sorted(every), rng.randint(1, 3))
    return {"id": _note(rng, notes)} | {name: every[name] for name in chosen}


def _forget(rng: Random, notes: Sequence[NoteRef]) -> dict[str, Any]:
    by_id = chance(rng, 0.5)
    given: dict[str, Any] = {"id": _note(rng, notes)} if by_id else {"query": rng.choice(QUESTIONS)}
    if chance(rng, 0.5):
        given["confirm"] = True
    if chance(rng, 0.2):
        given["permanent"] = True
    if chance(rng, 0.2):
        given["reason"] = "it is over"
    return given


def _visibility(rng: Random, notes: Sequence[NoteRef]) -> dict[str, Any]:
    given: dict[str, Any] = {"visibility": rng.choice(CHOICES)}
    if chance(rng, 0.7):
        return given | {"id": _note(rng, notes)}
    return given | {"domain": rng.choice(DOMAINS)}


def _register_agent(rng: Random) -> dict[str, Any]:
    given: dict[str, Any] = {
        "id": rng.choice(("narrow", "helper")),
        "name": "Helper",
        "role": rng.choice(("ASSISTANT", "ORCHESTRATOR", "WORKER")),
        "domains": ["work"],
        "canSeePrivate": False,
        "writes": rng.choice(("DIRECT", "PROPOSE", "AUTO_COMMIT")),
    }
    optional = rng.sample(sorted(given), 2)
    return {"id": "helper"} | {name: given[name] for name in optional if name != "id"}


def _team(rng: Random, actor: str) -> str:
    """Whoever asks in person may be an admin, who sets any team."""
    return TEAM if actor == "person" else rng.choice((TEAM, ELSEWHERE))


def _register_team(rng: Random, actor: str) -> dict[str, Any]:
    given: dict[str, Any] = {"id": _team(rng, actor)}
    given["members"] = rng.choice(([USER, STRANGER], [USER, STRANGER], [USER], [STRANGER, USER]))
    return given | ({"name": rng.choice(EVERY_NAME)} if chance(rng, 0.5) else {})


def _post_board(rng: Random, actor: str) -> dict[str, Any]:
    given: dict[str, Any] = {"key": rng.choice(("a", "b")), "value": {"text": _text(rng)}}
    optional: dict[str, Any] = {
        "scope": rng.choice(("team", "work", "vault", "narrow")),
        "expectedVersion": rng.choice((0, 1, 2)),
        "team": _team(rng, actor),
    }
    return given | {name: value for name, value in optional.items() if chance(rng, 0.4)}


def _given(rng: Random, **every: Any) -> dict[str, Any]:
    return {name: value for name, value in every.items() if chance(rng, 0.4)}


def _decide_proposal(rng: Random) -> dict[str, Any]:
    given: dict[str, Any] = {
        "id": Live("proposal", index=rng.randint(0, 3)),
        "decision": rng.choice(("COMMIT", "COMMIT", "REJECT", "DEFER")),
    }
    if chance(rng, 0.3):
        given["reason"] = "it is so"
    if chance(rng, 0.3):
        every: dict[str, Any] = {
            "content": _text(rng),
            "title": rng.choice(NAMES),
            "domain": rng.choice(DOMAINS),
            "kind": rng.choice(("EPISODIC", "SEMANTIC", "PROCEDURAL")),
            "tags": rng.sample(TAGS, 1),
            "confidence": 0.9,
        }
        given["changes"] = {name: every[name] for name in rng.sample(sorted(every), 2)}
    if chance(rng, 0.2):
        given["keepBoth"] = True
    return given


def _merge(rng: Random) -> dict[str, Any]:
    one, other = rng.sample(EVERY_NAME, 2)
    return {"keep": Live("entity", one), "merge": Live("entity", other)}


def _refuse(rng: Random) -> dict[str, Any]:
    one, other = rng.sample(EVERY_NAME, 2)
    return {"one": Live("entity", one), "other": Live("entity", other)}


Maker = Callable[[Random, str, Sequence[NoteRef]], dict[str, Any]]
WRITES: Mapping[str, Maker] = {
    "remember": lambda rng, actor, notes: {"input": remember_input(rng, actor)},
    "rememberMany": lambda rng, actor, notes: {
        "input": {
            "notes": [remember_input(rng, actor) for _ in range(rng.randint(2, 3))],
            "mode": rng.choice(("CURATED", "VERBATIM")),
        }
    },
    "revise": lambda rng, actor, notes: _revise(rng, notes),
    "forget": lambda rng, actor, notes: _forget(rng, notes),
    "restore": lambda rng, actor, notes: {"id": _note(rng, notes)},
    "forgetMany": lambda rng, actor, notes: (
        {"filter": note_filter(rng)} | _given(rng, confirm=True, permanent=True)
    ),
    "restoreMany": lambda rng, actor, notes: {"at": rng.choice(MOMENTS)},
    "releaseNote": lambda rng, actor, notes: {"id": _note(rng, notes)},
    "pin": lambda rng, actor, notes: (
        {"id": _note(rng, notes), "pinned": chance(rng, 0.7)}
        | ({"visibility": rng.choice(CHOICES)} if chance(rng, 0.4) else {})
    ),
    "setVisibility": lambda rng, actor, notes: _visibility(rng, notes),
    "removeVisibilityRule": lambda rng, actor, notes: {"domain": rng.choice(DOMAINS)},
    "setDefaultVisibility": lambda rng, actor, notes: {"visibility": rng.choice(CHOICES)},
    "link": lambda rng, actor, notes: (
        {"source": _note(rng, notes), "target": _note(rng, notes), "kind": "supports"}
        | ({"reason": "for Halden"} if chance(rng, 0.5) else {})
    ),
    "unlink": lambda rng, actor, notes: {"id": Live("link", _note(rng, notes))},
    "registerUser": lambda rng, actor, notes: {
        "id": rng.choice((USER, STRANGER)),
        "name": "Ann",
    },
    "eraseUser": lambda rng, actor, notes: {"confirm": "nobody"},
    "registerAgent": lambda rng, actor, notes: {"input": _register_agent(rng)},
    "setDefaultAgentMemory": lambda rng, actor, notes: (
        {"domains": rng.choice((["*"], ["work"], ["work", "vault"]))}
        | _given(rng, canSeePrivate=chance(rng, 0.5))
    ),
    "registerTeam": lambda rng, actor, notes: _register_team(rng, actor),
    "reportStatus": lambda rng, actor, notes: (
        {"status": rng.choice(("idle", "working"))}
        | ({"currentTask": rng.choice(QUESTIONS)} if chance(rng, 0.5) else {})
    ),
    "openSession": lambda rng, actor, notes: (
        {"task": rng.choice(QUESTIONS)} if chance(rng, 0.5) else {}
    ),
    "confirmAlert": lambda rng, actor, notes: {
        "noteId": _note(rng, notes),
        "version": rng.choice((1, 2, 3)),
    },
    "closeSession": lambda rng, actor, notes: {"id": Live("session")},
    "joinTeam": lambda rng, actor, notes: {"id": _team(rng, actor)},
    "leaveTeam": lambda rng, actor, notes: {"id": _team(rng, actor)},
    "declineInvitation": lambda rng, actor, notes: {"team": _team(rng, actor)},
    "blockInvitations": lambda rng, actor, notes: (
        _given(rng, team=_team(rng, actor), user=rng.choice((USER, STRANGER, "nobody")))
        | ({"block": False} if chance(rng, 0.5) else {})
    ),
    "shareDomain": lambda rng, actor, notes: (
        {"domain": rng.choice(("nowhere", SHARED[USER])), "team": _team(rng, actor)}
        | ({"share": chance(rng, 0.3)} if chance(rng, 0.5) else {})
        | ({"expiresAt": MOMENTS[2]} if chance(rng, 0.3) else {})
    ),
    "command": lambda rng, actor, notes: {"text": rng.choice(COMMANDS).format(text=_text(rng))},
    "addSkill": lambda rng, actor, notes: (
        {
            "name": rng.choice(("Repair the kiln relay", "Brew tea")),
            "procedure": "Cut the power, open the lid, call Zebulon.",
        }
        | ({"trigger": "the kiln is cold", "tags": rng.sample(TAGS, 1)} if chance(rng, 0.5) else {})
        | ({"team": _team(rng, actor)} if chance(rng, 0.2) else {})
    ),
    "reportSkill": lambda rng, actor, notes: (
        {"id": Live("skill"), "success": chance(rng, 0.5)}
        | ({"version": rng.choice((1, 2))} if chance(rng, 0.3) else {})
    ),
    "setSop": lambda rng, actor, notes: {
        "domain": rng.choice(DOMAINS),
        "content": "Repair before noon.",
        **({"team": _team(rng, actor)} if chance(rng, 0.3) else {}),
    },
    "handoff": lambda rng, actor, notes: {
        "to": rng.choice(("narrow", "peer", "keeper")),
        "summary": rng.choice(QUESTIONS),
        "noteIds": [_note(rng, notes)],
    },
    "endHandoff": lambda rng, actor, notes: {"id": Live("handoff")},
    "spawnAgent": lambda rng, actor, notes: (
        {"role": rng.choice(("ASSISTANT", "ORCHESTRATOR", "WORKER", "WORKER"))}
        | _given(rng, domains=["work"], noteIds=[_note(rng, notes)])
    ),
    "proposeKnowledge": lambda rng, actor, notes: (
        {"noteId": _note(rng, notes)}
        | _given(rng, domain=rng.choice(DOMAINS), content=_text(rng), team=_team(rng, actor))
    ),
    "setPromotionOptOut": lambda rng, actor, notes: (
        {"domain": rng.choice(DOMAINS)} | ({"optOut": False} if chance(rng, 0.6) else {})
    ),
    "postBoard": lambda rng, actor, notes: _post_board(rng, actor),
    "removeFromBoard": lambda rng, actor, notes: {
        name: value for name, value in _post_board(rng, actor).items() if name != "value"
    },
    "verifyKnowledge": lambda rng, actor, notes: (
        {"id": Live("knowledge")}
        | ({"right": False} if chance(rng, 0.4) else {})
        | ({"expectedVersion": rng.choice((1, 2))} if chance(rng, 0.3) else {})
    ),
    "reviseKnowledge": lambda rng, actor, notes: (
        {"id": Live("knowledge"), "content": _text(rng)}
        | ({"expectedVersion": 1} if chance(rng, 0.3) else {})
    ),
    "withdrawKnowledge": lambda rng, actor, notes: (
        {"id": Live("knowledge")} | ({"reason": "it is over"} if chance(rng, 0.4) else {})
    ),
    "decideProposal": lambda rng, actor, notes: _decide_proposal(rng),
    "consolidate": lambda rng, actor, notes: {},
    "resolveConflict": lambda rng, actor, notes: (
        {
            "id": Live("conflict"),
            "verdict": rng.choice(("COMPATIBLE", "CONTRADICTORY", "SUBSUMES", "AMBIGUOUS")),
        }
        | ({"keep": _note(rng, notes)} if chance(rng, 0.3) else {})
    ),
    "setCoreBlock": lambda rng, actor, notes: {
        "name": rng.choice(("identity", "critical", "context")),
        "text": rng.choice(("Name: Ada Moen\nRole: potter", "Never fire the kiln alone", "")),
    },
    "feedback": lambda rng, actor, notes: (
        {"recallId": Live("recall"), "used": [Live("used", index=rng.randint(0, 3))]}
        | ({"helpful": chance(rng, 0.5)} if chance(rng, 0.6) else {})
    ),
    "keepFinding": lambda rng, actor, notes: (
        {"recallId": Live("recall"), "noteId": Live("used", index=rng.randint(0, 3))}
        | ({"domain": rng.choice(DOMAINS)} if chance(rng, 0.3) else {})
    ),
    "runJob": lambda rng, actor, notes: {"name": rng.choice(JOBS)},
    "cancelRun": lambda rng, actor, notes: {"id": "00000000-0000-7000-8000-000000000000"},
    "reflect": lambda rng, actor, notes: {"topic": rng.choice((None, "kiln", "Zebulon"))},
    "decideReflection": lambda rng, actor, notes: (
        {"id": Live("reflection"), "accept": [Live("item", index=rng.randint(0, 3))]}
        | ({"reject": [Live("item", index=4)]} if chance(rng, 0.3) else {})
    ),
    "revertNote": lambda rng, actor, notes: {
        "id": _note(rng, notes),
        "version": rng.choice((1, 1, 2, 3)),
    },
    "revertTo": lambda rng, actor, notes: (
        {"at": rng.choice(MOMENTS)} | ({"dryRun": chance(rng, 0.5)} if chance(rng, 0.8) else {})
    ),
    "revertReflection": lambda rng, actor, notes: {"id": Live("reflection")},
    "mergeEntities": lambda rng, actor, notes: _merge(rng),
    "refuseEntityMerge": lambda rng, actor, notes: _refuse(rng),
    "refuseNoteMerge": lambda rng, actor, notes: {
        "one": _note(rng, notes),
        "other": _note(rng, notes),
    },
    "undoEntityMerge": lambda rng, actor, notes: {"id": Live("merge", rng.choice(NAMES))},
}
OFTEN = {"remember": 6, "rememberMany": 3, "revise": 3, "mergeEntities": 2, "command": 4}
OFTEN |= {"forget": 2, "setVisibility": 2, "feedback": 2, "reflect": 2, "decideReflection": 2}
JOBS = (
    "consolidate_memory",
    "digest_audit",
    "erase_users",
    "expire_notes",
    "expire_proposals",
    "maintain_memory",
    "merge_entities",
    "merge_notes",
    "move_tiers",
    "promote_knowledge",
    "reflect_episodes",
    "reflect_memory",
    "relate_notes",
    "resolve_duplicates",
    "sweep_decay",
    "update_expertise",
)
OFTEN |= {"decideProposal": 2}
# They tell of everybody, for who may know.
BY_ADMINS = frozenset(("health", "jobs", "jobRuns", "runJob", "cancelRun", "settings"))


def write(rng: Random, actor: str, notes: Sequence[NoteRef]) -> Call:
    """Some write, or a recall or consultation that is tracked, so that feedback has something to be
    about."""
    names = [name for name in WRITES for _ in range(OFTEN.get(name, 1))]
    name = rng.choice([*names, "recall", "recall", "consult"])
    if name == "consult":
        return Call("consult", {"question": rng.choice(ASKED), "k": 4, "track": True})
    if name == "recall":
        return Call("recall", {"input": recall_input(rng, track=True)})
    return Call(name, WRITES[name](rng, actor, notes), "Mutation")
