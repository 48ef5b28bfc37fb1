"""Cuts something out of texts that are not notes for good, such as a secret or a name."""

import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final

from graphmem.domain.owners import Owner
from graphmem.domain.proposals import ProposalKind
from graphmem.domain.visibility import Section, team_audience
from graphmem.language.questions import without_courtesy
from graphmem.services.context import Context, user_audience
from graphmem.services.forgetting.cutting import Cutter
from graphmem.services.recall.question_vectors import question_vector
from graphmem.store import feedback, proposals
from graphmem.store import other_secrets as store
from graphmem.store.events import append_each_step, append_step, event_row
from graphmem.store.graph import Step
from graphmem.store.other_secrets import LedTeam, OldText

# of a draft: what a person reads
_DRAFT_TEXTS: Final = frozenset(
    {"content", "title", "tags", "keywords", "speaker", "metadata", "name", "aliases"}
) | frozenset({"subject", "predicate", "object"})
_DRAFT_LISTS: Final = ("entities", "relations")


async def cut_text(
    context: Context,
    cutter: Cutter,
    owner: Owner,
    found: OldText,
    team: LedTeam | None = None,
) -> bool:
    """Cut it out of one thing with texts; returns whether that held it.

    `team`: if a team owns it: its members get the event. Raises Stale when it changes meanwhile.
    """
    given = await changed_texts(context, cutter, found)
    if not given:
        return False
    was: dict[str, Any] = {name: found.texts[name] for name in given}
    now, after = context.clock(), list[Step]()
    match found.kind.label:
        case "Proposal":
            was["version"], given["version"] = found.about["version"], found.about["version"] + 1
            after = await _proposal_vector(context, found, given)
        case "BoardEntry":
            was["version"], given["version"] = found.about["version"], found.about["version"] + 1
            given["updatedAt"] = now
        case "Recall":
            after = await _question_vector(context, found, given)
        case _:
            pass
    step = store.replace_step(found, was, given)
    await context.graph.write(step, *after, *_event_steps(cutter, owner, found, team, now))
    signal_readers(context, owner, team)
    return True


async def changed_texts(context: Context, cutter: Cutter, found: OldText) -> dict[str, Any]:
    """Return the texts that hold it, without it."""
    return await context.bulk_texts.run(lambda _: _changed(cutter, found.texts))


def _changed(cutter: Cutter, texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts that hold it, without it."""
    found = dict[str, Any]()
    for name, value in texts.items():
        match name:
            case "draft":
                clean = _clean_json(value, lambda draft: _clean_draft(cutter, draft))
            case "data":  # of an event
                clean = _clean_json(value, lambda data: _clean_in(cutter, data, {"reason"}))
            case "value":  # of a post
                clean = cutter.clean_json(value)
            case _:
                clean = cutter.clean(value)
        if clean != value:
            found[name] = clean
    return found


def _clean_json(text: str | None, clean: Callable[[Any], Any]) -> str | None:
    given = json.loads(text or "null")
    if not isinstance(given, dict) or (done := clean(given)) == given:
        return text
    return json.dumps(done)


def _clean_draft(cutter: Cutter, draft: Mapping[str, Any]) -> dict[str, Any]:
    lists = {
        name: [_clean_in(cutter, each, _DRAFT_TEXTS) for each in draft[name]]
        for name in _DRAFT_LISTS
        if draft.get(name)
    }
    return {**_clean_in(cutter, draft, _DRAFT_TEXTS), **lists}


def _clean_in(cutter: Cutter, given: Mapping[str, Any], texts: Collection[str]) -> dict[str, Any]:
    """Return a mapping with some of its values clean; its keys and the others are not texts."""
    return {name: cutter.clean(value) if name in texts else value for name, value in given.items()}


async def _proposal_vector(context: Context, found: OldText, given: dict[str, Any]) -> list[Step]:
    """Return the step that gives a proposed note the vector of its new text."""
    if not {"content", "title"} & given.keys() or found.about["kind"] != ProposalKind.WRITE:
        return []
    given |= dict.fromkeys(store.VECTORS)
    said = {**found.texts, **given}
    if said["content"] is None:
        return []
    text = f"{said['title']}\n{said['content']}" if said["title"] else said["content"]
    [vector] = await context.embedder.embed_documents([text])
    return [proposals.set_vectors_step({found.id: (said["content"], vector)})]


async def _question_vector(context: Context, found: OldText, given: dict[str, Any]) -> list[Step]:
    """Return the step that gives a judged question the vector of its new text."""
    if not found.about["judged"]:
        return []
    given |= dict.fromkeys(store.VECTORS)
    vector = await question_vector(context.embedder, without_courtesy(given["query"]))
    return [feedback.set_vectors_step({found.id: vector})]


def _event_steps(
    cutter: Cutter, owner: Owner, found: OldText, team: LedTeam | None, now: datetime
) -> list[Step]:
    """Return the step that appends the event, for the user in person or for those who read what a
    team has."""
    about = found.about
    row: dict[str, Any] = {
        "summary": f"{cutter.done} of {found.kind.what}",
        "actor": cutter.actor,
        "at": now,
        "channel": "state_change",
    }
    if team is None:
        subject = about.get("note") or about.get("subjectId") or found.id
        is_sop = found.kind.label == "Sop"
        row |= {"domain": found.id} if is_sop else {"subject_id": subject}
        event = event_row("EDIT", audience=user_audience(owner.id), **row)
        return [append_step(owner.name, [event])]
    if found.kind.label == "Sop":
        audience = team_audience(team.id, Section.SOPS, found.id).key
        row |= {"domain": found.id, "channel": "knowledge_update"}
    else:
        audience = about["audience"]
        place = {"team": team.id, "scope": about["scope"], "key": found.id}
        row["data"] = {**place, "version": about["version"] + 1}
    return [
        append_each_step({m: event_row("EDIT", audience=audience, **row) for m in team.members})
    ]


def signal_readers(context: Context, owner: Owner, team: LedTeam | None) -> None:
    """Wake those who wait for changes of what the owner has."""
    for user in (owner.id,) if team is None else team.members:
        context.signal(user)
