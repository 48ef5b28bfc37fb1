"""Wiki links of a vault, such as those of Obsidian and basic-memory, as links between its notes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from graphmem.domain.notes import MAX_TITLE
from graphmem.services.importing.markdown import Document, LinkDraft
from graphmem.services.importing.sections import lines_of

MOST: Final = 50  # links of one file
KIND: Final = "links to"
# [[Name]], [[folder/Name#Heading|words]]; a picture or a note that is shown inside is ![[…]]
_WIKI = re.compile(r"!?\[\[([^\[\]|#\n]{1,255})(?:[#|][^\[\]\n]{0,255})?\]\]")
_TYPED = re.compile(r"\s*[-*] ([\w -]{1,60}?) *\[\[")  # - works at [[Halden]]


def index_names(folder: Path, paths: Sequence[Path]) -> dict[str, str]:
    """Return the external ids of files by what a wiki link may call them: the path below the
    folder, and the name alone where only one file has it."""
    ids = [path.relative_to(folder).with_suffix("").as_posix() for path in paths]
    index: dict[str, str] = {}
    for id in ids:
        name = id.rpartition("/")[2].casefold()
        index[name] = "" if name in index else id  # "": of several files
    return {name: id for name, id in index.items() if id} | {id.casefold(): id for id in ids}


def with_wiki_links(document: Document, index: Mapping[str, str]) -> Document:
    """Return a document with a link for each file of the folder that a wiki link in it names.

    Code is left alone, and so is what an export wrote, whose links stand in the front matter.
    """
    if document.note_id is not None or "[[" not in document.draft.content:
        return document
    own = (document.draft.external_id or "").partition("#")[0]
    given = {link.to for link in document.links} | {own}
    found: dict[str, LinkDraft] = {}
    for line, is_code in lines_of(document.draft.content):
        for name in () if is_code else _WIKI.findall(line):
            to = index.get(name.strip().removesuffix(".md").casefold())
            if to and to not in given and to not in found and len(found) < MOST:
                typed = _TYPED.match(line)
                kind = typed[1].strip()[:MAX_TITLE] if typed else KIND
                found[to] = LinkDraft(to=to, kind=kind, reason=None, loose=True)
    return replace(document, links=(*document.links, *found.values()))
