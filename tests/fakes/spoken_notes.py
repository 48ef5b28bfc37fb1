"""Notes and questions in many languages; a question with the place of the note that answers it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Spoken(NamedTuple):
    """What is noted in one language, and what is asked: question, place of its answer."""

    notes: list[str]
    questions: list[tuple[str, int]]


def spoken() -> Mapping[str, Spoken]:
    """The notes and questions by the primary tag of their language."""
    text = Path(__file__).with_suffix(".json").read_text("utf-8")
    return {tag: Spoken(**own) for tag, own in json.loads(text).items()}
