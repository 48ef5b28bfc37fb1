"""MEMORY.md: core memory as agents read it, and what a hand edit of it does."""

from collections.abc import Mapping
from typing import Final

from graphmem.domain.core import HEADINGS, TITLE, Block, check_lines, line_key
from graphmem.errors import Invalid
from graphmem.services.context import Access, Context
from graphmem.services.core import automatic, core_memory, edit_core_lines
from graphmem.services.syncing.pages.page import CORE, Page

_BLOCKS: Final = {heading: block for block, heading in HEADINGS.items()}


async def core_page(context: Context, access: Access) -> Page:
    """Return core memory as a page, with the headings of all blocks."""
    core = await core_memory(context, access, automatic(access))
    parts = [f"{HEADINGS[part.block]}\n{part.text}".rstrip() for part in core.parts]
    return Page(CORE, "\n\n".join([TITLE, *parts]) + "\n", editable=True)


async def edit_core(context: Context, access: Access, base: str, edited: str) -> list[str]:
    """Write the lines that are new, and archive the written ones that are gone.

    A line that comes from another note stays as long as the note does. Raises Invalid where no line
    of a block differs, and what `edit_core_lines` raises."""
    before, after = _parse(base), _parse(edited)
    done = []
    for block in Block:
        old, new = before[block], after[block]
        added = [line for key, line in new.items() if key not in old]
        removed = [line for key, line in old.items() if key not in new]
        if not added and not removed:
            continue
        written, archived = await edit_core_lines(context, access, block, removed, added)
        title = HEADINGS[block].removeprefix("## ")
        done += [f"{title}: {_lines(written)} written, {archived} archived"]
        if archived < len(removed):
            done.append(
                f"{title}: other notes give {_lines(len(removed) - archived)}, which come back"
            )
    if not done:
        raise Invalid("no line below a heading of core memory was changed")
    return done


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _is_comment(line: str) -> bool:
    return line.startswith("<!--") and line.endswith("-->")


def _parse(text: str) -> Mapping[Block, dict[str, str]]:
    """Return the lines of each block by their keys. Raises Invalid for a line outside of them."""
    texts: dict[Block, list[str]] = {block: [] for block in Block}
    block = None
    for line in map(str.strip, text.splitlines()):
        if line in _BLOCKS:
            block = _BLOCKS[line]
        elif not line or line.startswith("# ") or _is_comment(line):
            continue
        elif block is not None and not line.startswith("#"):
            texts[block].append(line)
        else:
            headings = ", ".join(HEADINGS.values())
            raise Invalid(f"each line of core memory stands below one of: {headings}")
    return {
        block: {line_key(line): line for line in check_lines(block, "\n".join(lines))}
        for block, lines in texts.items()
    }
