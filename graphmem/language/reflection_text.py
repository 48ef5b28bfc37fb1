"""Writes the summary of a reflection (Moltbot 10.5) from notes that the reader may read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from graphmem.domain.activation import DECAY
from graphmem.domain.core import HEADINGS, Block
from graphmem.domain.notes import Note, Status
from graphmem.domain.proposals import Proposal, ProposalStatus
from graphmem.domain.reflection import Item, ItemKind, Reflection, ReflectionStatus

LABEL = 160  # characters of a note's text in a summary
NAME = 80  # characters that name a skill made of a procedure without a title
GONE = "What this was about is not there any more."
_ARCHIVAL = "📦 Proposed Archival"
_CORE = "✏️ Core Memory Changes"
_SECTIONS = (
    ("🧠 New Knowledge Extracted", (ItemKind.FACT, ItemKind.PROCEDURE, ItemKind.SKILL)),
    ("🔗 New Connections", (ItemKind.LINK,)),
    (_ARCHIVAL, (ItemKind.ARCHIVE,)),
    ("⚠️ Contradictions Detected", (ItemKind.CONTRADICTION,)),
    (_CORE, (ItemKind.CORE,)),
)
EVOLUTION = (  # topics of meta-reflection (Moltbot 10.4), by the part that an insight names
    ("Patterns Across Reflections", "patterns"),
    ("Evolving Understanding", "understanding"),
    ("Revised Assumptions", "revised"),
    ("Persistent Questions", "persistent"),
    ("Emergent Insights", "emergent"),
)
_WORDS = {
    ItemKind.FACT: "fact",
    ItemKind.PROCEDURE: "procedure",
    ItemKind.SKILL: "skill",
    ItemKind.LINK: "connection",
    ItemKind.ARCHIVE: "archival",
    ItemKind.CONTRADICTION: "contradiction",
    ItemKind.CORE: "core change",
    ItemKind.INSIGHT: "insight",
    ItemKind.QUESTION: "question",
    ItemKind.MILESTONE: "milestone",
    ItemKind.PROPOSAL: "proposal",
}
_MILESTONES = {
    10: "First evolution summary",
    25: "Threads consolidated",
    50: "Major synthesis",
    100: "Deep retrospective",
}


@dataclass(frozen=True)
class ItemText:
    """An item as shown to people."""

    summary: str
    diff: dict[str, object]


def item_text(
    item: Item, notes: Mapping[str, Note], proposals: Mapping[str, Proposal] | None = None
) -> ItemText:
    """Return the words of an item; `notes` and `proposals` are those that the reader may read.

    If one of its notes, or its proposal, is not among them, it says only that."""
    if item.proposal is not None:
        found_one = (proposals or {}).get(item.proposal)
        return ItemText(GONE, {}) if found_one is None else _describe_deferred(found_one)
    found = [notes[i] for i in item.ids if i in notes]
    if len(found) < item.size:
        return ItemText(GONE, {})
    match item.kind:
        case ItemKind.FACT:
            times = "again and again" if not (n := item.numbers.get("told")) else f"{n} times"
            return ItemText(f"Learned: {label(found[0])} (told {times})", _create_diff(item, found))
        case ItemKind.PROCEDURE:
            steps = " ".join(f"{i}. {label(n)}" for i, n in enumerate(steps_of(item, found), 1))
            text = f"How it is done, in {item.numbers['episodes']} episodes: {steps}"
            return ItemText(text, _create_diff(item, found))
        case ItemKind.SKILL:
            name = skill_name(found[0])
            diff = _create_diff(item, found)
            return ItemText(f"It worked, so it may become a skill: {name}", diff | {"skill": name})
        case ItemKind.LINK:
            one, other = found[:2]
            text = f"{label(one)} ↔ {label(other)} ({shared_of(item)})"
            return ItemText(
                text, {"link": {"source": one.id, "target": other.id, "kind": "related"}}
            )
        case ItemKind.ARCHIVE:
            return _describe_archival(item, found[0])
        case ItemKind.CONTRADICTION:
            keep, other = found[:2]
            text = f"Keep: {label(keep)} — archive: {label(other)}"
            return ItemText(text, {"keep": keep.id, "archive": other.id})
        case ItemKind.CORE:
            return _describe_core(item, found[0])
        case _:
            return ItemText(_describe_thought(item, found), {})


def _describe_deferred(proposal: Proposal) -> ItemText:
    """Describe a proposal that was left for a reflection, and its outcome since."""
    text = " ".join((proposal.title or proposal.content).split())
    short = text if len(text) <= LABEL else text[: LABEL - 1].rstrip() + "…"
    reason = " ".join((proposal.reason or "").split())[:LABEL]
    why = f" (deferred: {reason})" if reason else ""
    if proposal.status is not ProposalStatus.DEFERRED:
        why = f" ({proposal.status.lower().replace('_', ' ')} since)"
    by = f" by {proposal.author}" if proposal.author else ""
    return ItemText(f"Proposed{by}: {short}{why}", {"decideProposal": proposal.id})


def _describe_archival(item: Item, note: Note) -> ItemText:
    """Describe a note that has faded."""
    if item.archived_at is not None:
        return _describe_archived(item.archived_at, note)
    text = f"{label(note)} (score: {item.numbers['score']}, last used"
    text += f" {item.numbers['days']} days ago)"
    return ItemText(text, {"archive": note.id})


def _describe_archived(milliseconds: int, note: Note) -> ItemText:
    """Describe a note that the sweep of decay has archived, for review."""
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    back = "reject to restore it" if note.status is Status.ARCHIVED else "it is back"
    text = f"{label(note)} (archived by decay at {at:%Y-%m-%d %H:%M} UTC; {back})"
    return ItemText(text, {"archived": note.id})


def _describe_thought(item: Item, notes: Sequence[Note]) -> str:
    """Describe an item that changes nothing."""
    if item.kind is ItemKind.QUESTION:
        return _describe_question(item, notes[0])
    if item.kind is ItemKind.INSIGHT:
        return _describe_insight(item, notes)
    number = int(str(item.numbers["number"]))
    return f"{_MILESTONES[number]} at reflection #{number}: {_describe_counts(item)}."


def _describe_core(item: Item, note: Note) -> ItemText:
    block = Block(str(item.numbers["block"]))
    title = HEADINGS[block].removeprefix("## ")
    if item.promotes:
        diff: dict[str, object] = {"block": block, "add": note.id}
        return ItemText(f"Add to {title}: {label(note)}", diff)
    diff = {"block": block, "remove": note.id, "archive": note.id}
    return ItemText(f"Take from {title}: {label(note)}", diff)


def shared_of(item: Item) -> str:
    """Return what the two notes of a link have in common, without names.

    A name may be destroyed with its note."""
    count = item.numbers["shared"]
    of_tags = item.numbers.get("of") == "tags"
    return f"{count} shared tags" if of_tags else f"both mention {count} things"


def steps_of(item: Item, notes: Sequence[Note]) -> Sequence[Note]:
    """Return the notes with the steps of a procedure."""
    return notes[: int(str(item.numbers["steps"]))]


def content_of(item: Item, notes: Sequence[Note]) -> str:
    """Return the text of the note that a fact or procedure becomes."""
    if item.kind in (ItemKind.FACT, ItemKind.SKILL):
        return notes[0].content.strip()
    steps = enumerate(steps_of(item, notes), 1)
    return "\n".join(f"{i}. {' '.join(note.content.split())}" for i, note in steps)


def skill_name(note: Note) -> str:
    """Return the name of the skill that a procedure becomes: its title, or its first words."""
    text = " ".join((note.title or note.content).split())
    return text if len(text) <= NAME else text[:NAME].rpartition(" ")[0] or text[:NAME]


def _create_diff(item: Item, notes: Sequence[Note]) -> dict[str, object]:
    kind = "SEMANTIC" if item.kind is ItemKind.FACT else "PROCEDURAL"
    return {
        "create": {
            "kind": kind,
            "content": content_of(item, notes),
            "domain": notes[0].domain,
            "visibility": notes[0].visibility,
            "derivedFrom": [note.id for note in notes],
        }
    }


def label(note: Note) -> str:
    """Return a note in few words."""
    text = " ".join((note.title or note.content).split())
    return text if len(text) <= LABEL else text[: LABEL - 1].rstrip() + "…"


def _describe_question(item: Item, note: Note) -> str:
    asked = int(str(item.numbers.get("asked", 1)))
    again = f" (asked {asked} times)" if asked > 1 else ""
    if item.numbers.get("about") == "pin":
        times = item.numbers["times"]
        return f"Should I pin this? It was used {times} times: {label(note)}{again}"
    days = item.numbers["days"]
    return f"Not used for {days} days. Is this still relevant? {label(note)}{again}"


def _describe_insight(item: Item, notes: Sequence[Note]) -> str:
    about = item.numbers.get("reflection")
    match item.numbers.get("part"):
        case "patterns":
            outcome = str(item.numbers["status"]).lower()
            return f"This continues reflection #{about} ({outcome}): {_describe_counts(item)}."
        case "understanding":
            return f"Most of the memory is about {_topic(notes)}: {item.numbers['notes']} notes."
        case "revised":
            return f"Statements given up for others so far: {item.numbers['revised']}."
        case _:
            return f"Across {about} reflections: {_describe_counts(item)}."


def _topic(notes: Sequence[Note]) -> str:
    """Return the tag or domain that notes have in common."""
    tags = Counter(tag for note in notes for tag in note.tags)
    most = max(tags.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return most[0] if most[1] == len(notes) else notes[0].domain


def _describe_counts(item: Item) -> str:
    parts = []
    for name, does in (("accepted", "accepted"), ("refused", "refused")):
        counts = item.numbers.get(name)
        if isinstance(counts, dict) and counts:
            listed = ", ".join(f"{n} {_WORDS[ItemKind(kind)]}" for kind, n in counts.items())
            parts.append(f"{listed} {does}")
    if item.numbers.get("refused"):
        parts.append("what was refused is not proposed again")
    return "; ".join(parts) or "nothing decided yet"


def markdown(found: Reflection, words: Sequence[ItemText], next_at: datetime | None = None) -> str:
    """Return the summary for people; `next_at` is when a job makes the next one, None if none does.

    The number before an item is its place, by which it is decided."""
    lines = [f"# Reflection Summary — {found.at:%Y-%m-%d}", ""]
    numbered = list(zip(range(1, len(words) + 1), found.items, words, strict=True))
    for title, kinds in _SECTIONS:
        rows = [_render_line(i, item, text) for i, item, text in numbered if item.kind in kinds]
        below = f" (decay score < {_threshold(found):g})" if title == _ARCHIVAL else ""
        lines += [f"## {title}{below}", *(rows or ["- None this cycle"])]
        lines += [*(_render_core_diff(numbered) if rows and title == _CORE else ()), ""]
    lines += _render_evolution(numbered)
    waits = [_render_line(i, item, t) for i, item, t in numbered if item.kind is ItemKind.PROPOSAL]
    lines += ["## ⏸️ Deferred Proposals", *waits, ""] if waits else []
    asked = [_render_line(i, item, t) for i, item, t in numbered if item.kind is ItemKind.QUESTION]
    lines += [
        "## ❓ Questions for You",
        *(asked or ["- None this cycle"]),
        "",
        *_render_footer(found, next_at),
    ]
    return "\n".join(lines) + "\n"


def _threshold(found: Reflection) -> float:
    """Return the decay score below which notes were proposed for archival."""
    return float(str(found.numbers.get("archiveBelow", DECAY.archive_threshold)))


def _render_core_diff(numbered: Sequence[tuple[int, Item, ItemText]]) -> list[str]:
    """Return the changes of core memory as a diff, block by block."""
    lines = ["```diff"]
    changes = [(item, words) for _, item, words in numbered if item.kind is ItemKind.CORE]
    for block in Block:
        own = [(i, w) for i, w in changes if i.numbers["block"] == block and w.diff]
        lines += [HEADINGS[block]] if own else []
        for item, words in own:
            text = words.summary.partition(": ")[2]
            lines.append(f"{'+' if item.promotes else '-'} {text}")
    return [*lines, "```"]


def _render_line(place: int, item: Item, words: ItemText) -> str:
    decision = {None: "", True: " — accepted", False: " — rejected"}[item.accepted]
    return f"- **{place}.** {words.summary}{decision}"


def _render_evolution(numbered: Sequence[tuple[int, Item, ItemText]]) -> list[str]:
    lines = ["## 🌱 Philosophical Evolution"]
    for title, part in EVOLUTION:
        rows = [
            _render_line(i, item, words) for i, item, words in numbered if part_of(item) == part
        ]
        lines += [f"### {title}", *(rows or ["- None this cycle"])]
    return [*lines, ""]


def part_of(item: Item) -> str | None:
    """Return the heading of the evolution for an item."""
    if item.kind is ItemKind.MILESTONE:
        return "emergent"
    if item.kind is ItemKind.QUESTION:
        return "persistent" if int(str(item.numbers.get("asked", 1))) >= 3 else None
    return str(item.numbers.get("part")) if item.kind is ItemKind.INSIGHT else None


def _render_footer(found: Reflection, next_at: datetime | None) -> list[str]:
    seen = found.numbers
    due = f"{next_at:%Y-%m-%d %H:%M} UTC" if next_at else "none; on request"
    maker = [f"**Made by**: {found.maker}"] if found.maker else []
    last = {
        ReflectionStatus.PENDING: "> Reply with `approve`, `approve with changes`, or `reject` to "
        "apply this reflection.",
    }.get(found.status, f"> {found.status.capitalize()}.")
    return [
        "---",
        f"**Reflection #**: {found.number}",
        *maker,
        f"**Token budget used**: {found.tokens_used:,} / {found.token_budget:,}",
        f"**Memories processed**: {seen.get('EPISODIC', 0)} episodes, {seen.get('SEMANTIC', 0)} "
        f"facts, {seen.get('PROCEDURAL', 0)} procedures",
        f"**Reflections reviewed**: {seen.get('reviewed', 0)} past reflections",
        f"**Next scheduled reflection**: {due}",
        "",
        last,
    ]
