"""Context packages: the best of the memory for a task, within a number of tokens.

Core memory comes first, then the hits of one recall, with one read of the links between them.
`domain/packages` decides which hits are taken: those that fit and add something new, rather than
the same over and over.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.domain.extraction import MEDIUM_CONFIDENCE
from graphmem.domain.notes import Validity
from graphmem.domain.profiles.muma import domain_boost
from graphmem.domain.profiles.parameters import Profile
from graphmem.domain.scopes import UNSURE, Scope, suggest_scope
from graphmem.language.analysis import analyse
from graphmem.language.questions import Strategy
from graphmem.services.commons.recalling import of_team, with_team
from graphmem.services.context import Access, Context
from graphmem.services.core import automatic, core_memory_as_of
from graphmem.services.recall.expansion import label_of
from graphmem.services.recall.recall import (
    Hit,
    RecallResult,
    check_question,
    recall,
    track,
    without_reasons,
)
from graphmem.services.recall.request import RecallRequest
from graphmem.services.recall.selection import PackageItem, make_excerpt, pick, relevances
from graphmem.services.writing.links import links_of

MAX_BUDGET = 100_000
RECALLED = 100
SUGGESTED = 5
LINKED = 20  # links read for each note
SHARE = 4  # a long note is quoted by its passage where it takes more than that part of the budget
# The bonus of the domain of the agent that asks, compared to the best note's relevance of 1 (MUMA
# 5.4).
OWN_DOMAIN = 0.2
# links without information for a reader
BY_RULE = frozenset({"shares-entity", "same-topic", "related"})
NOT_SURE = "Nothing in memory clearly fits this task; what follows may not be about it.\n\n"


@dataclass(frozen=True, kw_only=True)
class ContextPackage:
    """A text for a prompt, and the hits that it was made of; feedback on it is given under
    `recallId`."""

    text: str
    hits: tuple[Hit, ...]
    token_count: int
    recall_id: str
    confidence: float
    suggested_scope: Scope
    suggested_domains: tuple[str, ...]


@dataclass(frozen=True)
class PackageEntry:
    """A hit with the text shown for it."""

    hit: Hit
    text: str
    cut: bool = False
    links: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The hit as an item of a list, with its further lines indented."""
        note = self.hit.note
        title = f"{note.title}: " if note.title else ""
        text = f"{title}{self.text}".replace("\n", "\n  ")
        return f"- {text} ({'; '.join((*_remarks(self.hit, cut=self.cut), *self.links))})\n"


async def make_package(
    context: Context,
    access: Access,
    task: str,
    *,
    token_budget: int,
    profile: Profile = Profile.BALANCED,
    scope: Scope = Scope.USER,
    as_of: datetime | None = None,
) -> ContextPackage:
    """Make a package: core memory, then whole notes, best first, within the budget.

    Notes are grouped by domain. Of a note that is longer than the whole budget, the sentences that
    fit the task best are quoted, and of a long one the passage that answers the task best. Tokens
    are counted by the embedding model's own tokenizer, and only those of the notes (DIFF-29). The
    notes of the package count as recalled, except knowledge of a team, which is only looked up, and
    packages as of an instant, which also show no links. Raises Invalid.
    """
    question = check_question(
        RecallRequest(query=task, k=RECALLED, profile=profile, track=False, as_of=as_of)
    )
    now = context.clock()
    answer, core = await asyncio.gather(
        recall(context, access, question, local=scope is Scope.LOCAL),
        core_memory_as_of(context, access, automatic(access), as_of),
    )
    if scope is Scope.TEAM and answer.strategy is not Strategy.CORE:
        answer = await with_team(context, access, question, answer)
    always = core.text if core.has_content else ""
    if answer.strategy is Strategy.CORE:  # its hits are already in the core memory above
        hits, text = answer.hits, ""
    else:
        linked = as_of is None
        hits, text = await _select_hits(context, access, task, answer, token_budget, linked=linked)
    if as_of is None:
        own = tuple(hit for hit in hits if not of_team(hit))
        track(context, access, question, replace(answer, hits=own), now)
    return ContextPackage(
        text="\n\n".join(part for part in (always, text) if part),
        hits=without_reasons(hits),
        token_count=context.embedder.count_tokens(text) if text else 0,
        recall_id=answer.id,
        confidence=answer.confidence,
        suggested_scope=suggest_scope(scope, answer.confidence),
        suggested_domains=_domains(answer.hits),
    )


async def _select_hits(
    context: Context,
    access: Access,
    task: str,
    answer: RecallResult,
    token_budget: int,
    *,
    linked: bool,
) -> tuple[tuple[Hit, ...], str]:
    """Return the hits that go in and their text, which fits the budget; with links if `linked`."""
    count = context.embedder.count_tokens
    head = NOT_SURE if answer.confidence < UNSURE else ""
    entries = _choose_entries(
        answer.hits, access, task, token_budget - count(head) * bool(head), count
    )
    text = _render_text(head, entries)
    while entries and count(text) > token_budget:  # tokens of joined lines may differ a little
        entries = entries[:-1]
        text = _render_text(head, entries)
    more = await _add_links(context, access, entries) if linked else entries
    if count(_render_text(head, more)) <= token_budget:
        entries, text = more, _render_text(head, more)
    kept = sorted((each.hit for each in entries), key=lambda hit: hit.rank)
    return tuple(replace(hit, rank=place) for place, hit in enumerate(kept, 1)), text


def _choose_entries(
    hits: Sequence[Hit], access: Access, task: str, budget: int, count: Callable[[str], int]
) -> list[PackageEntry]:
    """Choose the entries that go in, the most useful first."""
    terms = frozenset(analyse(task))
    entries: list[PackageEntry] = []
    lines: set[str] = set()
    domains: set[str] = set()
    spent = 0

    def take(i: int) -> bool:
        nonlocal spent
        hit = hits[i]
        heading = 0 if hit.note.domain in domains else count(_heading(hit.note.domain))
        entry = PackageEntry(hit, hit.note.content)
        most = budget if hit.passage is None else budget // SHARE
        if count(entry.line) + heading > most:
            entry = _excerpt(hit, terms, min(budget // 2, budget - spent) - heading, count)
        if entry is None or entry.line in lines:
            return False
        cost = count(entry.line) + heading
        if spent + cost > budget:
            return False
        entries.append(entry)
        lines.add(entry.line)
        domains.add(hit.note.domain)
        spent += cost
        return True

    pick(_items(hits, access), take)
    return entries


def _items(hits: Sequence[Hit], access: Access) -> list[PackageItem]:
    return [
        PackageItem(
            relevance=share + _agent_domain_boost(hit, access),
            terms=frozenset(analyse(f"{hit.note.title or ''} {hit.note.content}")),
            episode=hit.note.episode,
        )
        for hit, share in zip(hits, relevances([hit.score for hit in hits]), strict=True)
    ]


def _agent_domain_boost(hit: Hit, access: Access) -> float:
    """Return the bonus of the agent's own domain; 0 for ACTIVATION, which has one of its own."""
    if getattr(hit.why, "domain_boost", None) is not None:
        return 0.0
    return domain_boost(hit.note, access.viewer, OWN_DOMAIN)


def _excerpt(
    hit: Hit, terms: frozenset[str], room: int, count: Callable[[str], int]
) -> PackageEntry | None:
    part = hit.passage
    text = hit.note.content if part is None else part.text

    def fits(shown: str) -> bool:
        return count(PackageEntry(hit, shown, cut=True).line) <= room

    if part is not None:
        before, after = part.start > 0, part.end < len(hit.note.content)
        shown = f"{'[…] ' if before else ''}{text}{' […]' if after else ''}"
        if fits(shown):
            return PackageEntry(hit, shown, cut=True)
    shown = make_excerpt(
        text, fitting=lambda sentence: len(terms & frozenset(analyse(sentence))), fits=fits
    )
    return None if shown is None else PackageEntry(hit, shown, cut=True)


async def _add_links(
    context: Context, access: Access, entries: Sequence[PackageEntry]
) -> list[PackageEntry]:
    """Add the links between the entries that somebody made or that show a contradiction."""
    notes = {each.hit.note.id: each.hit.note for each in entries}
    if len(notes) < 2:
        return list(entries)
    found = await links_of(context, access, list(notes), LINKED)
    labels: dict[str, list[str]] = defaultdict(list)
    for source, links in found.items():
        for link in links:
            if link.source == source and link.target in notes and link.kind not in BY_RULE:
                other = notes[link.target]
                label = " ".join(label_of(other.title, other.content).split())
                labels[source].append(f'{link.kind} "{label}"')
    return [replace(each, links=tuple(labels[each.hit.note.id])) for each in entries]


def _heading(domain: str) -> str:
    return f"## {domain}\n"


def _remarks(hit: Hit, *, cut: bool) -> tuple[str, ...]:
    """Return when and by whom the note was said, and what a reader must know about it."""
    note = hit.note
    who = f"team {hit.via[0].label}" if of_team(hit) else note.speaker or note.author
    day = f"{note.occurred_at or note.created_at:%Y-%m-%d}"
    remarks = [f"{day}, {who}" if who else day]
    if note.valid_from:
        remarks.append(f"from {note.valid_from:%Y-%m-%d}")
    if note.valid_to:
        remarks.append(f"until {note.valid_to:%Y-%m-%d}")
    if note.validity is Validity.DEPRECATED:
        remarks.append("no longer held true")
    if hit.superseded_by is not None:
        remarks.append("a newer note says otherwise")
    if note.confidence < MEDIUM_CONFIDENCE:
        remarks.append("not sure")
    if cut:
        remarks.append(f"part of note {note.id}")
    return tuple(remarks)


def _render_text(head: str, entries: Sequence[PackageEntry]) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for each in sorted(entries, key=lambda each: each.hit.rank):
        groups[each.hit.note.domain].append(each.line)
    body = "\n".join(_heading(domain) + "".join(lines) for domain, lines in groups.items())
    return f"{head}{body}".strip() if body else ""


def _domains(hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the domains of the best ten hits, by their part of the score."""
    weight: dict[str, float] = defaultdict(float)
    for hit, share in zip(hits[:10], relevances([hit.score for hit in hits]), strict=False):
        weight[hit.note.domain] += share
    ranked = sorted(weight, key=lambda domain: (-weight[domain], domain))
    return tuple(ranked[:SUGGESTED])
