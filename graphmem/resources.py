"""The folders cypher, jobs, schema and examples: in the wheel or in the checkout."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def folder(name: str) -> Traversable:
    """Return the folder `name` (such as "cypher") as packaged, or that of the checkout."""
    packaged = files("graphmem") / "_data"
    root: Traversable = packaged if packaged.is_dir() else Path(__file__).parents[1]
    return root / name
