"""Finding out from its debug log whether Neo4j still recovers from its last end."""

import re
from pathlib import Path

_BEGUN = re.compile(rb"Recovery required from position")
_ENDED = re.compile(rb"Recovery in '\w+' mode completed")


def is_recovering(log: Path, since: int) -> bool:
    """Return True if more recoveries were begun than ended in the log from byte `since` on; a
    shorter log is a new one and counts as a whole."""
    if not log.exists():
        return False
    with log.open("rb") as file:
        file.seek(since if log.stat().st_size >= since else 0)
        text = file.read()
    return len(_BEGUN.findall(text)) > len(_ENDED.findall(text))
