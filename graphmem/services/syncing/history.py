"""What happened to the files of a folder in a sync, for its history."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from graphmem.services.syncing.carrying import Carried
from graphmem.services.syncing.comparing import Wishes
from graphmem.services.syncing.git import BY_GRAPH, BY_HAND, BY_PAGES, SYNC, Step
from graphmem.services.syncing.laying import Write
from graphmem.services.syncing.reading import Files
from graphmem.services.syncing.state import Kept


def steps_by_hand(
    wishes: Wishes,
    carried: Carried,
    files: Files,
    before: Mapping[PurePosixPath, Kept],
    actor: str,
) -> list[Step]:
    """Return what a person did to files since the last sync, that was carried into the graph."""
    found: dict[PurePosixPath, str] = {}
    found |= dict.fromkeys((*carried.revised, *carried.restored, *files.edited), "EDIT")
    for path in carried.created:
        found[path] = "APPEND" if path in before else "CREATE"
    for path, kept in before.items():
        if path not in files.found.files and not kept.notes.keys().isdisjoint(carried.archived):
            found[path] = "DELETE"
    for old, new in wishes.renamed:
        found[old] = found[new] = "RENAME"
    return [
        Step(path=path, action=action, actor=actor, trigger=BY_HAND)
        for path, action in found.items()
    ]


def step_of(write: Write, newest: Mapping[str, str]) -> Step:
    """Return what a sync wrote, by who changed the newest of its notes."""
    action = "CREATE" if write.over is None else "EDIT" if write.text is not None else "DELETE"
    if write.made:
        return Step(path=write.path, action=action, actor=SYNC, trigger=BY_PAGES)
    actors = [newest[note] for note in sorted(write.notes, reverse=True) if note in newest]
    actor = actors[0] if actors else SYNC
    return Step(path=write.path, action=action, actor=actor, trigger=BY_GRAPH)
