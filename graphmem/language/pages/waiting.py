"""What waits for a decision: proposals (Moltbot 13.2) and conflicts of two notes."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

from graphmem.domain.notes import Note, Source
from graphmem.domain.proposals import Proposal, ProposalStatus
from graphmem.language.comparison import ConflictFound
from graphmem.language.pages.escaping import inline_text, quote_text
from graphmem.language.pages.words import confidence_word

CONTENT: Final = 2_000  # characters of a proposal
NAME: Final = 120
KEEP: Final = "Keep:"
_BY_SOURCE: Final[Mapping[Source, str]] = {
    Source.TOLD: "told by the user",
    Source.EXPERIENCE: "noticed by the agent",
    Source.INFERRED: "inferred by the agent",
}


def render_proposals(found: Sequence[Proposal]) -> str:
    """Return the proposals that wait, in the given order, which numbers them from 1."""
    numbers = {each.id: number for number, each in enumerate(found, 1)}
    lines = ["# Pending Memory Proposals", "<!-- Decide them by decideProposal, by their ids. -->"]
    for each in found:
        against = [f"#{numbers[other]}" for other in each.conflicts if other in numbers]
        lines += ["---", *_proposal_lines(each, numbers[each.id], ", ".join(sorted(against)))]
    return "\n".join([*lines, *(() if found else ["Nothing waits."])]) + "\n"


def _proposal_lines(found: Proposal, number: int, against: str) -> list[str]:
    flag = f" ⚠️ CONFLICT with {against}" if against else ""
    status = found.status.lower().replace("_", " ")
    if against and found.status is ProposalStatus.CONFLICT:
        status = f"conflict — see {against}"
    title = f"{found.title}: " if found.title else ""
    entities = ", ".join(inline_text(name, NAME) for name in found.entities)
    store = found.note_kind.lower()
    return [
        f"## Proposal #{number}{flag}",
        f"<!-- {found.id} -->",
        f"- **From**: {inline_text(found.author or 'the user', NAME)}",
        f"- **Timestamp**: {found.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        f"- **Trigger**: {_BY_SOURCE[found.source]}",
        f"- **Suggested store**: {store}",
        f"- **Content**: {inline_text(title + found.content, CONTENT)}",
        f"- **Entities**: {entities or 'none'}",
        f"- **Confidence**: {confidence_word(found.confidence)}",
        f"- **Core-worthy**: {'yes' if found.core_worthy else 'no'}",
        f"- **Status**: {status}",
    ]


def render_conflict(found: ConflictFound, older: Note, newer: Note) -> str:
    """Return the page of an open conflict, with a line to decide it."""
    lines = [
        "# Conflict",
        f"<!-- {found.id} | {found.at.astimezone(UTC):%Y-%m-%d} -->",
        "These two notes can't both be right, or nearly say the same. Write A, B or both behind",
        "the last line: the other note is archived, and with both the two become one where their",
        "readers are the same, else both stay.",
    ]
    for letter, note in (("A", older), ("B", newer)):
        by = inline_text(note.author or "the user", NAME)
        lines += [
            f"## {letter}",
            f"<!-- gm:{note.id} -->",
            f"Written {note.created_at.astimezone(UTC):%Y-%m-%d} by {by}, "
            f"confidence {confidence_word(note.confidence)} ({note.confidence:g})",
            quote_text(f"{note.title}\n{note.content}" if note.title else note.content),
        ]
    return "\n".join([*lines, "", f"{KEEP} "]) + "\n"


def parse_choice(text: str) -> str:
    """Return what a page of a conflict says behind `Keep:`, in small letters; empty for nothing.

    Texts of the notes are quoted, so no line of theirs begins so."""
    said = [line.removeprefix(KEEP) for line in text.splitlines() if line.startswith(KEEP)]
    return said[-1].strip().lower() if said else ""


def parse_sides(text: str) -> tuple[str, ...]:
    """Return the ids of the two notes on the page of a conflict, A first."""
    marks = [line for line in text.splitlines() if line.startswith("<!-- gm:")]
    return tuple(mark.removeprefix("<!-- gm:").removesuffix(" -->") for mark in marks)
