"""A data folder that one file of tests leaves to the next, so that it is migrated once."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class LeftFolder:
    """The data folder of a service that has stopped in good order; None before that."""

    folder: Path | None = None
