"""The outcome of a sync, for people and scripts."""

from dataclasses import dataclass, field
from typing import Final

MAX_TOLD: Final = 100  # lines of details


@dataclass
class Synced:
    """The outcome of a sync, or what it would be: files by path, notes by the files they are in."""

    added: list[str] = field(default_factory=list)  # files that are new
    changed: list[str] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)  # old -> new, as a person did it
    removed: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)  # notes, from files
    revised: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)  # titles or first words
    conflicts: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # with the reason
    pages: list[str] = field(default_factory=list)  # files made of the graph, written or removed
    commits: int = 0  # of git
    dry: bool = False

    @property
    def is_quiet(self) -> bool:
        """True if nothing was done on either side, apart from pages made of the graph."""
        to_files = self.added or self.changed or self.removed or self.renamed
        to_graph = self.created or self.revised or self.restored or self.archived
        return not (to_files or to_graph or self.conflicts)

    @property
    def is_clean(self) -> bool:
        """True if nothing is left for a person to look at."""
        return not (self.skipped or self.conflicts)

    @property
    def _told_pages(self) -> str:
        would = "would be: " if self.dry and self.is_quiet else ""
        return f"{would}{len(self.pages)} pages made of the memory" if self.pages else ""

    def summary(self) -> str:
        """Return one line of counts, then the details."""
        would = "would be: " if self.dry else ""
        if self.is_quiet and not self.skipped:
            return self._told_pages or "nothing to do"
        counts = (
            f"{would}files: {len(self.added)} added, {len(self.changed)} changed, "
            f"{len(self.renamed)} renamed, {len(self.removed)} deleted; "
            f"notes: {len(self.created)} created, {len(self.revised)} revised, "
            f"{len(self.restored)} restored, {len(self.archived)} archived; "
            f"{len(self.conflicts)} in conflict, {len(self.skipped)} skipped"
            f"{'; ' if self.pages else ''}{self._told_pages}"
        )
        details = [
            f"  {word} {each}"
            for word, found in (
                *(("add", self.added), ("change", self.changed), ("rename", self.renamed)),
                *(("delete", self.removed), ("new note from", self.created)),
                *(("note revised from", self.revised), ("note restored from", self.restored)),
                *(("note archived:", self.archived), ("conflict", self.conflicts)),
                ("skipped", self.skipped),
            )
            for each in found
        ]
        more = len(details) - MAX_TOLD
        rest = [f"  and {more} more"] if more > 0 else []
        return "\n".join([counts, *details[:MAX_TOLD], *rest])
