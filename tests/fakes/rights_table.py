"""What each mutation may do to the readers of a note: the ways in which one could, and for the
other mutations the reason for which it can't. A mutation without a row fails a test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

PLACE = "work/r"  # where the user decided who reads
OWN, ELSEWHERE, SHARED = "work/other", "elsewhere", "common"  # of the agent, of others, of a team
VISIBILITIES = ("OPEN", "SCOPED", "PRIVATE", "USER_ONLY")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A note at the place, with what an agent needs to know of it."""

    id: str
    text: str
    other: str  # the id of a second note of the same agent, in its own domain


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way of changing who reads a text: a mutation with its arguments."""

    query: str
    given: Callable[[Case], Mapping[str, Any]]


SET = """mutation M($id: ID!, $to: Visibility!) { setVisibility(id: $id, visibility: $to) {
  updatedCount } }"""
PIN = """mutation M($id: ID!, $to: Visibility, $pinned: Boolean! = true) {
  pin(id: $id, pinned: $pinned, visibility: $to) { id } }"""
REVISE = """mutation M($id: ID!, $domain: String, $content: String) {
  revise(id: $id, domain: $domain, content: $content) { id } }"""
REMEMBER = "mutation M($input: RememberInput!) { remember(input: $input) { note { id } } }"
MANY = """mutation M($input: RememberManyInput!) { rememberMany(input: $input) {
  results { error { code } } } }"""
HANDOFF = """mutation M($to: ID!, $notes: [ID!]!) {
  handoff(to: $to, summary: "see these", noteIds: $notes) { id } }"""
SPAWN = """mutation M($domains: [String!], $notes: [ID!]) {
  spawnAgent(role: WORKER, domains: $domains, noteIds: $notes) { id } }"""
SKILL = """mutation M($name: String!, $text: String!) {
  addSkill(name: $name, procedure: $text) { id } }"""
CORE = """mutation M($text: String!) {
  setCoreBlock(name: "context", text: $text) { tokenCount } }"""


def _set(to: str) -> Way:
    return Way(query=SET, given=lambda case: {"id": case.id, "to": to})


def _pin(to: str) -> Way:
    return Way(query=PIN, given=lambda case: {"id": case.id, "to": to})


def _move(domain: str) -> Way:
    return Way(query=REVISE, given=lambda case: {"id": case.id, "domain": domain})


def _copy(domain: str, to: str | None) -> Way:
    given = {"domain": domain} | ({"visibility": to} if to else {})
    return Way(query=REMEMBER, given=lambda case: {"input": {"content": case.text, **given}})


def _disguised(text: str) -> str:
    """The same words in another dress."""
    return f"  {text.upper().rstrip('.')} !"


WAYS: Mapping[str, Way] = {
    **{f"set {to}": _set(to) for to in VISIBILITIES},
    **{f"pin {to}": _pin(to) for to in VISIBILITIES},
    **{f"move to {domain}": _move(domain) for domain in (OWN, ELSEWHERE, SHARED, "work")},
    **{
        f"copy to {domain} {to}": _copy(domain, to)
        for domain in (OWN, ELSEWHERE, SHARED)
        for to in (None, "OPEN", "PRIVATE")
    },
    "copy in capitals": Way(
        query=REMEMBER,
        given=lambda case: {"input": {"content": _disguised(case.text), "domain": SHARED}},
    ),
    "copy among many": Way(
        query=MANY,
        given=lambda case: {
            "input": {
                "mode": "VERBATIM",
                "notes": [{"content": case.text, "domain": ELSEWHERE, "visibility": "OPEN"}],
            }
        },
    ),
    "copy into another note": Way(
        query=REVISE, given=lambda case: {"id": case.other, "content": case.text}
    ),
    "copy as a skill": Way(query=SKILL, given=lambda case: {"name": case.id, "text": case.text}),
    "copy into core memory": Way(query=CORE, given=lambda case: {"text": case.text}),
    "lend": Way(query=HANDOFF, given=lambda case: {"to": "stranger", "notes": [case.id]}),
    "lend to a new agent": Way(
        query=SPAWN, given=lambda case: {"domains": [ELSEWHERE], "notes": [case.id]}
    ),
    "restore": Way(
        query="mutation M($id: ID!) { restore(id: $id) { id } }", given=lambda case: {"id": case.id}
    ),
    "unpin": Way(query=PIN, given=lambda case: {"id": case.id, "to": None, "pinned": False}),
}

DESTROY: Mapping[str, Way] = {
    "by id": Way(
        query="mutation M($id: ID!) { forget(id: $id, permanent: true) { forgotten } }",
        given=lambda case: {"id": case.id},
    ),
    "by a query": Way(
        query="""mutation M($text: String!) {
          forget(query: $text, confirm: true, permanent: true) { forgotten } }""",
        given=lambda case: {"text": case.text},
    ),
}

# Why the other mutations give no note readers.
IN_PERSON = "for the user in person, or an admin"
NO_TEXT = "gives nobody a text to read"
OF_TEAM = "changes what a team owns: tests/api/test_rights_commons.py"
CONSENT = "what comes of it was decided: consents of promotions, reviews of proposals"
REST: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("confirmAlert", "eraseUser", "revertNote", "revertTo"),
            *("removeVisibilityRule", "setDefaultVisibility", "releaseNote"),
            *("forgetMany", "restoreMany"),
            *("setPromotionOptOut", "decideReflection", "revertReflection"),
            *("registerTeam", "joinTeam", "leaveTeam", "shareDomain"),
            *("registerUser", "registerAgent", "setDefaultAgentMemory"),
            *("declineInvitation", "blockInvitations"),
        ),
        IN_PERSON,
    ),
    **dict.fromkeys(
        (
            *("reportSkill", "removeFromBoard", "consolidate", "resolveConflict", "feedback"),
            *("endHandoff", "runJob", "cancelRun", "reflect", "reportStatus", "openSession"),
            *("link", "unlink", "mergeEntities", "refuseEntityMerge", "undoEntityMerge"),
            "refuseNoteMerge",
        ),
        NO_TEXT,
    ),
    **dict.fromkeys(
        ("setSop", "postBoard", "verifyKnowledge", "reviseKnowledge", "withdrawKnowledge"), OF_TEAM
    ),
    **dict.fromkeys(("proposeKnowledge", "decideProposal"), CONSENT),
    "keepFinding": "keeps what somebody else shared, as PRIVATE",
    "closeSession": "writes what `remember` would write",
    "command": "writes by remember, forget and setVisibility",
}
