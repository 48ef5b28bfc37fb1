"""Whether Neo4j still repeats what was not in its files when it last ended, by its debug log."""

import re
from pathlib import Path

_BEGUN = re.compile(rb"Recovery required from position")
_ENDED = re.compile(rb"Recovery in '\w+' mode completed")


def recovering(log: Path, since: int) -> bool:
    """Return True if more recoveries were begun than ended in what was logged from byte `since` on;
    a log that is shorter was begun anew."""
    if not log.exists():
        return False
    with log.open("rb") as file:
        file.seek(since if log.stat().st_size >= since else 0)
        text = file.read()
    return len(_BEGUN.findall(text)) > len(_ENDED.findall(text))
