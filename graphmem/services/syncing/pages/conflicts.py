"""memory/conflicts: a page for each pair of notes between which only a person can decide."""

from typing import Final

from graphmem.errors import Invalid
from graphmem.language.comparison import ConflictVerdict
from graphmem.language.pages import parse_choice, parse_sides, render_conflict
from graphmem.services.conflicts import MAX_PAGE, list_conflicts, resolve_conflict
from graphmem.services.context import Access, Context
from graphmem.services.reading.notes import load_many
from graphmem.services.syncing.pages.page import CONFLICTS, Page

BOTH: Final = "both"


async def conflict_pages(context: Context, access: Access) -> list[Page]:
    """Return a page for each open conflict of readable notes, the newest ones, by their ids."""
    found = await list_conflicts(context, access, is_open=True, first=MAX_PAGE)
    notes = await load_many(context, access, sorted({i for each in found for i in each.notes}))
    pages = []
    for each in sorted(found, key=lambda each: each.id):
        sides = [notes[i] for i in each.notes if i in notes]
        if len(sides) == 2:
            text = render_conflict(each, sides[0], sides[1])
            pages.append(Page(CONFLICTS / f"{each.id}.md", text, editable=True))
    return pages


async def edit_conflict(
    context: Context, access: Access, page: Page, base: str, edited: str
) -> list[str]:
    """Close the conflict of a page as its last line says.

    Raises Invalid for another word, and when one of the notes has changed since the page was
    written; else what `resolve_conflict` raises."""
    choice = parse_choice(edited)
    if choice not in ("a", "b", BOTH):
        raise Invalid("write A, B or both behind Keep:")
    if base != page.text:
        raise Invalid("the notes have changed since; decide again on what they say now")
    older, newer = parse_sides(page.text)
    keep = {"a": older, "b": newer}.get(choice)
    verdict = ConflictVerdict.COMPATIBLE if keep is None else ConflictVerdict.CONTRADICTORY
    done = await resolve_conflict(context, access, page.path.stem, verdict, keep)
    return [f"conflict closed: {done.verdict.lower()}, keep {choice}"]
