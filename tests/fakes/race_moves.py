"""The mutations that change a note, as moves of a race: what each sends, and what must be true when
it was acknowledged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

TEXT = "The Halden gate is locked at night by the porter."
AGAIN = f"{TEXT} It is opened at six by Ada Kessler."
OTHER = "Bread is baked twice a week in the north kitchen."
NEW = "A second key of the shed was made on Monday."
SCOUT = "scout"  # the agent that races against its user
SHY = "shy"  # an agent that may only propose
RULED, MOVED = "work", "work/b"


@dataclass
class World:
    """A user in person, an agent of theirs, and the notes that the moves are about."""

    api: Any  # the client of the user; its requests can be held
    note: str = ""
    other: str = ""
    ids: dict[str, str] = field(default_factory=dict)  # of what hangs on the note

    @property
    def scout(self) -> Any:
        """The client of the agent."""
        return self.api.as_agent(SCOUT)


@dataclass(frozen=True)
class Move:
    """One mutation as a viewer sends it. `needs`: what the note must be; `event`: what is told of
    the note once it was acknowledged; `narrows`: nobody but the user reads the note from then on;
    `did`: whether an answer says that something was done."""

    query: str
    given: Callable[[World], Mapping[str, Any]]
    in_person: bool = False
    needs: str = "note"
    event: str | None = None
    narrows: bool = False
    destroys: bool = False
    did: Callable[[Any], bool] = bool
    holds: tuple[int, ...] = (1,)  # which of its writes are held, one at a time

    @property
    def field(self) -> str:
        """The mutation's field in the schema."""
        return self.query.split("{", 1)[1].split("(", 1)[0].strip()

    async def send(self, world: World) -> Mapping[str, Any]:
        """Data and errors."""
        client = world.api if self.in_person else world.scout
        return await client.post(self.query, **self.given(world))


def _id(world: World) -> Mapping[str, Any]:
    return {"id": world.note}


def _of(name: str) -> Callable[[World], Mapping[str, Any]]:
    return lambda world: {"id": world.ids[name]}


_REVISE = """mutation M($id: ID!, $content: String, $domain: String, $tags: [String!]) {
  revise(id: $id, content: $content, domain: $domain, tags: $tags) { id } }"""
_SHOW = """mutation M($id: ID, $domain: String, $to: Visibility!) {
  setVisibility(id: $id, domain: $domain, visibility: $to) { updatedCount } }"""
_FORGET = """mutation M($id: ID!, $permanent: Boolean) {
  forget(id: $id, permanent: $permanent) { forgotten } }"""
_PIN = "mutation M($id: ID!, $to: Visibility) { pin(id: $id, visibility: $to) { id } }"
_REMEMBER = "mutation M($input: RememberInput!) { remember(input: $input) { operation } }"
_MANY = """mutation M($notes: [RememberInput!]!) { rememberMany(input: {notes: $notes}) {
  results { note { id } error { code } } } }"""
_COMMAND = "mutation M($text: String!) { command(text: $text) { note { id } } }"
_DECIDE = """mutation M($id: ID!, $items: [ID!]!) { decideReflection(id: $id, accept: $items) {
  id } }"""
_FEEDBACK = "mutation M($id: ID!, $notes: [ID!]!) { feedback(recallId: $id, used: $notes) }"
_RESOLVE = """mutation M($id: ID!, $keep: ID) {
  resolveConflict(id: $id, verdict: CONTRADICTORY, keep: $keep) { id } }"""
_CORE = 'mutation M($text: String!) { setCoreBlock(name: "critical", text: $text) { text } }'
_SKILL = """mutation M($text: String!) { addSkill(name: "Lock the gate", procedure: $text) {
  id } }"""
_AGENT = "mutation M($input: AgentInput!) { registerAgent(input: $input) { id } }"


def _updated(data: Any) -> bool:
    return bool(data["updatedCount"])


MOVES: Mapping[str, Move] = {
    "rewrite": Move(_REVISE, lambda w: {"id": w.note, "content": f"{TEXT} Twice."}, event="EDIT"),
    "retag": Move(
        _REVISE, lambda w: {"id": w.note, "tags": ["gates"]}, in_person=True, event="EDIT"
    ),
    "move": Move(_REVISE, lambda w: {"id": w.note, "domain": MOVED}, in_person=True, event="EDIT"),
    "open": Move(_SHOW, lambda w: {"id": w.note, "to": "OPEN"}, event="VISIBILITY", did=_updated),
    "narrow": Move(
        _SHOW,
        lambda w: {"id": w.note, "to": "USER_ONLY"},
        in_person=True,
        event="VISIBILITY",
        narrows=True,
        did=_updated,
    ),
    "rule": Move(
        _SHOW,
        lambda w: {"domain": w.ids["domain"], "to": "USER_ONLY"},
        in_person=True,
        narrows=True,
        did=lambda data: True,
        holds=(1, 2),
    ),
    "pin": Move(_PIN, _id, event="PIN"),
    "pin and open": Move(_PIN, lambda w: {"id": w.note, "to": "OPEN"}, event="PIN"),
    "forget": Move(_FORGET, _id, event="ARCHIVE", did=lambda data: bool(data["forgotten"])),
    "purge": Move(
        _FORGET,
        lambda w: {"id": w.note, "permanent": True},
        in_person=True,
        destroys=True,
        did=lambda data: bool(data["forgotten"]),
    ),
    "forget many": Move(
        """mutation M($filter: NoteFilter!) {
          forgetMany(filter: $filter, confirm: true) { forgotten } }""",
        lambda w: {"filter": {"domain": RULED}},
        in_person=True,
    ),
    "restore many": Move(
        "mutation M($at: DateTime!) { restoreMany(at: $at) }",
        lambda w: {"at": w.ids["archived"]},
        in_person=True,
        needs="archived",
    ),
    "restore": Move("mutation M($id: ID!) { restore(id: $id) { id } }", _id, needs="archived"),
    "release": Move(
        "mutation M($id: ID!) { releaseNote(id: $id) { id } }",
        _id,
        in_person=True,
        needs="quarantined",
        event="VISIBILITY",
    ),
    "revert note": Move(
        "mutation M($id: ID!) { revertNote(id: $id, version: 1) { id } }",
        _id,
        in_person=True,
        needs="changed",
        event="REVERT",
    ),
    "revert to": Move(
        "mutation M($at: DateTime!) { revertTo(at: $at) }",
        lambda w: {"at": w.ids["before"]},
        in_person=True,
        needs="changed",
        did=lambda data: True,
    ),
    "link": Move(
        'mutation M($a: ID!, $b: ID!) { link(source: $a, target: $b, kind: "beside") { id } }',
        lambda w: {"a": w.note, "b": w.other},
        event="LINK",
    ),
    "unlink": Move("mutation M($id: ID!) { unlink(id: $id) }", _of("link"), event="LINK"),
    "remember": Move(_REMEMBER, lambda w: {"input": {"content": AGAIN, "domain": "work/a"}}),
    "remember many": Move(
        _MANY,
        lambda w: {"notes": [{"content": text, "domain": "work/a"} for text in (TEXT, NEW)]},
    ),
    "command": Move(_COMMAND, lambda w: {"text": f"Remember permanently: {TEXT}"}, holds=(1, 2)),
    "set core block": Move(
        _CORE, lambda w: {"text": ""}, in_person=True, needs="line", event="EDIT"
    ),
    "feedback": Move(_FEEDBACK, lambda w: {"id": w.ids["recall"], "notes": [w.note]}, event="EDIT"),
    "add skill": Move(_SKILL, lambda w: {"text": "Turn the key twice."}, needs="skill"),
    "report skill": Move(
        "mutation M($id: ID!) { reportSkill(id: $id, success: true) { id } }",
        _id,
        needs="skill",
        event="EDIT",
    ),
    "resolve conflict": Move(
        _RESOLVE, lambda w: {"id": w.ids["conflict"], "keep": w.other}, event="ARCHIVE"
    ),
    "commit proposal": Move(
        """mutation M($id: ID!) { decideProposal(id: $id, decision: COMMIT) { id status } }""",
        _of("proposal"),
        in_person=True,
        needs="proposal",
    ),
    "decide reflection": Move(
        _DECIDE,
        lambda w: {"id": w.ids["reflection"], "items": [w.ids["item"]]},
        in_person=True,
        event="ARCHIVE",
    ),
    "revert reflection": Move(
        "mutation M($id: ID!) { revertReflection(id: $id) { id } }",
        _of("reflection"),
        in_person=True,
        needs="decided",
        event="REVERT",
    ),
    "merge entities": Move(
        "mutation M($a: ID!, $b: ID!) { mergeEntities(keep: $a, merge: $b) { id } }",
        lambda w: {"a": w.ids["one"], "b": w.ids["two"]},
        in_person=True,
    ),
    "refuse entity merge": Move(
        "mutation M($a: ID!, $b: ID!) { refuseEntityMerge(one: $a, other: $b) { id } }",
        lambda w: {"a": w.ids["one"], "b": w.ids["two"]},
        in_person=True,
    ),
    "undo entity merge": Move(
        "mutation M($id: ID!) { undoEntityMerge(id: $id) { id } }",
        _of("merge"),
        in_person=True,
        needs="merged",
    ),
    "register agent": Move(
        _AGENT,
        lambda w: {"input": {"id": SCOUT, "domains": ["elsewhere"], "writes": "PROPOSE"}},
        in_person=True,
    ),
}
NO_NOTE: Mapping[str, str] = {  # mutations that change no note that is there, and why
    "registerUser": "users are not notes",
    "removeVisibilityRule": "it is about later notes",
    "setDefaultVisibility": "it is about later notes",
    "setDefaultAgentMemory": "it is about agents, whose writes are refused as by registerAgent",
    "refuseNoteMerge": "it closes what waits, and changes neither note",
    "eraseUser": "every other write of the user is refused from its first step on",
    "openSession": "it makes a session",
    "confirmAlert": "it tells up to which version a file is as it should be, not what it says",
    "closeSession": "it changes the local notes of its session alone, then remembers",
    "reportStatus": "it tells of an agent alone",
    "registerTeam": "teams are not notes",
    "joinTeam": "teams are not notes",
    "leaveTeam": "teams are not notes",
    "declineInvitation": "invitations are not notes",
    "blockInvitations": "invitations are not notes",
    "shareDomain": "it is about who is told of notes, and changes none",
    "setSop": "a standard procedure is not a note",
    "handoff": "it lends notes as they are",
    "endHandoff": "it lends nothing more",
    "spawnAgent": "it makes an agent, to which notes are lent as they are",
    "proposeKnowledge": "it makes a proposal of a note as it is",
    "setPromotionOptOut": "it is about a domain, and rejects proposals alone",
    "keepFinding": "it makes a note of a note as it is",
    "postBoard": "what a board says is not a note",
    "removeFromBoard": "what a board says is not a note",
    "verifyKnowledge": "it changes a team's note alone",
    "reviseKnowledge": "it changes a team's note, by a guarded query of its own",
    "withdrawKnowledge": "it destroys a team's note alone",
    "cancelRun": "it is about a run, of which no other mutation knows",
    "runJob": "its jobs change notes by the guarded query, as all other mutations do",
    "reflect": "it only proposes",
    "consolidate": "it settles conflicts as resolveConflict does, of notes that it finds itself",
}
