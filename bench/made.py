"""Makes a benchmark of questions from notes in Markdown that tell their relations.

    python -m bench.made --notes examples/diary --out DIR

`--notes` is a folder with a folder of notes for each user, as `graphmem import` reads them. Of
every relation (subject, predicate, object) of a note its subject and its object are asked for;
where the object is the subject of a relation in another note, what that one leads to is asked for
as well, and both notes answer. Each user is there twice: with the titles of the notes and without.
No person asked these questions: they show what questions that cost nothing are worth
(`bench.learn`)."""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from graphmem.domain.notes import NoteDraft
from graphmem.services.importing.markdown import markdown_files, read_documents

NAME = "made"
UNTITLED = "-untitled"  # after the name of a user

Triple = tuple[str, str, str]


def drafts_of(folder: Path) -> dict[str, NoteDraft]:
    """The notes below a folder by path."""
    now = datetime.now(UTC)
    return {
        str(path.relative_to(folder)): document.draft
        for path in markdown_files(folder)
        for document in read_documents(folder, path, now)
    }


def questions_of(drafts: dict[str, NoteDraft]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Questions with their category and the notes that answer each, in a fixed order."""
    said = defaultdict[Triple, set[str]](set)
    for path, draft in sorted(drafts.items()):
        for relation in draft.relations:
            said[relation.subject, relation.predicate, relation.object].add(path)
    asked = defaultdict[tuple[str, str], set[str]](set)
    for (subject, predicate, thing), paths in said.items():
        asked["object", f"{subject} {predicate} whom or what?"] |= paths
        asked["subject", f"Who or what {predicate} {thing}?"] |= paths
    for (one, one_paths), (other, other_paths) in product(said.items(), repeat=2):
        if one[2] == other[0] and one[0] != other[2] and not one_paths & other_paths:
            asked["chain", f"{one[0]} {one[1]} what that {other[1]} whom or what?"] |= (
                one_paths | other_paths
            )
    for (category, text), paths in asked.items():
        yield category, text, frozenset(paths)


def _note(user: str, path: str, draft: NoteDraft, *, titled: bool) -> dict[str, Any]:
    return {
        "user": user,
        "externalId": path,
        "content": draft.content,
        "title": draft.title if titled else None,
        "occurredAt": draft.occurred_at.isoformat() if draft.occurred_at else None,
        "relations": [
            {"subject": r.subject, "predicate": r.predicate, "object": r.object}
            for r in draft.relations
        ],
    }


def make(notes: Path, out: Path) -> int:
    """Write the benchmark; the number of its questions."""
    out.mkdir(parents=True, exist_ok=True)
    told, asked = list[dict[str, Any]](), list[dict[str, Any]]()
    for folder in sorted(path for path in notes.iterdir() if path.is_dir()):
        drafts = drafts_of(folder)
        for user, titled in ((folder.name, True), (folder.name + UNTITLED, False)):
            told += [_note(user, path, each, titled=titled) for path, each in drafts.items()]
            asked += [
                {"user": user, "question": text, "gold": sorted(gold), "category": category}
                for category, text, gold in questions_of(drafts)
            ]
    for kind, rows in (("notes", told), ("questions", asked)):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (out / f"{NAME}.{kind}.jsonl").write_text(lines, encoding="utf-8")
    return len(asked)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--notes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    print(f"{make(given.notes, given.out)} questions")


if __name__ == "__main__":
    main()
