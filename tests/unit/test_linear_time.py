"""No text makes a pattern or a function of the program take more than about linear time.

What is looked at is found by the test itself, and so are the hostile texts (`fakes/linear_time`).
`GRAPHMEM_FUZZ_SECONDS` is how long it may search, in seconds of CPU for each of two processes."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import growth
import linear_time
import pytest
from linear_time import of_function, of_pattern
from text_functions import METHODS, compiled_inside, functions, patterns, uses

from graphmem.services.forgetting.redacting import name_pattern

LONG = "GRAPHMEM_FUZZ_SECONDS" in os.environ
SECONDS = float(os.environ.get("GRAPHMEM_FUZZ_SECONDS", "4"))
SEED = random.randrange(10**6) if LONG else 1
PARTS = 2
MOST_WAIT = 20 * SECONDS + 200  # seconds by the clock, on a machine that does much else
# These make patterns of tables while modules are loaded; modules hold what they make. That of names
# has a test below.
MAKERS = {
    "services/forgetting/redacting.py:name_pattern",
    "client/secrets.py:_form",
    "language/extraction/relations.py:_by_first_word",
    "language/extraction/relations.py:_first_words",
    "language/lexicon/__init__.py:_pattern",
    "language/questions/understanding.py:_whole",
    "language/questions/understanding.py:_words",
    "language/messages/cue_phrases.py:_any",
}


@pytest.mark.long
@pytest.mark.timeout(MOST_WAIT + 100)
def test_time_grows_linearly() -> None:
    with ThreadPoolExecutor(PARTS) as pool:
        found = list(pool.map(_searched, range(PARTS)))
    slow = {place: texts for part in found for place, texts in part.items() if texts}
    assert not slow, f"more than linear time (seed {SEED}): {json.dumps(slow, ensure_ascii=True)}"
    assert sum(map(len, found)) > 300


def _searched(part: int) -> dict[str, list[list[str]]]:
    command = [sys.executable, linear_time.__file__, *map(str, (part, PARTS, SECONDS, SEED))]
    path = os.pathsep.join([str(Path(linear_time.__file__).parent), *sys.path])
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as process:
        try:
            lines = process.communicate(timeout=MOST_WAIT)[0].splitlines()
        except subprocess.TimeoutExpired:
            process.kill()
            lines = process.communicate()[0].splitlines()
            pytest.fail(f"no end of {json.loads(lines[-1])}")
    assert process.returncode == 0
    told = map(json.loads, lines)
    return {each["place"]: each["slow"] for each in told if "place" in each}


def test_no_pattern_is_hidden() -> None:
    assert set(compiled_inside()) == MAKERS


def test_patterns_and_functions_are_found() -> None:
    held, used, read = patterns(), uses(), functions()
    assert len(held) > 230
    assert "graphmem.language.questions.understanding._WHO" in held
    assert sum(".CUE_PHRASES[" in place for place in held) > 10
    assert used["_CAMEL"] == {"fullmatch"}
    assert {
        "graphmem.language.extraction.pipeline.extract",
        "graphmem.language.messages.parsing.parse",
        "graphmem.language.naming.matching.name_candidates",
        "graphmem.language.questions.understanding.understand",
        "graphmem.language.comparison.statements.read_statements",
        "graphmem.language.comparison.normalisation.capitalised_words",
        "graphmem.services.importing.markdown.parse_documents",
    } <= read.keys()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is planted to be slow is given up sooner than what the program has."""
    monkeypatch.setattr(growth, "LONGEST", 0.2)


@pytest.mark.long
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"[a-z]{2,}[a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+", id="exponential, names in code"),
        pytest.param(r"(?:\w+\s?)*;", id="exponential, words"),
        pytest.param(r"(?:a|b|ab)*c", id="exponential, alternatives"),
        pytest.param(
            r"^\W*who is\s+(?P<thing>(?:(?!(?:of|in) )[\w.&+#-]+\s*){1,4}\W*)$", id="to the fourth"
        ),
        pytest.param(r"^\W*the (?P<thing>(?:[\w'.&+#-]+ ?){1,3})\W*$", id="cubic"),
        pytest.param(
            r"He (?:(?:also|now|together with [^,]{1,30}) )*\Z", id="exponential, adverbs"
        ),
        pytest.param(r"[\s,]+(?:please|now)", id="quadratic, blanks"),
        pytest.param(r"<think>.*?</think>", id="quadratic, without an end"),
        pytest.param(r"(?<!\w)[A-Z][\w'-]+ likes", id="quadratic, names"),
        pytest.param(r"\w+\.\w+@", id="quadratic, two classes"),
    ],
)
def test_a_slow_pattern_is_found(pattern: str) -> None:
    thing = of_pattern("planted", re.compile(pattern, re.IGNORECASE), METHODS)
    assert next(thing.slow_for(5), None)  # the first one is enough


@pytest.mark.parametrize(
    "pattern",
    [r"\b\w+ing\b", r"(?<!\s)\s*+;", r"(?<![a-z ])(?:[a-z]++ ?)*+;", r"\d{1,3}(?:,\d{3})*", r"a|b"],
)
def test_a_quick_pattern_is_not(pattern: str) -> None:
    assert not list(of_pattern("planted", re.compile(pattern), METHODS).slow_for(1))


@pytest.mark.parametrize("names", [["Bo Li", "Bo"], ["a b a b"], ["J.R. (Joe)"], ["Ada Kessler"]])
def test_the_pattern_of_a_name_is_quick(names: list[str]) -> None:
    assert not list(of_pattern("name", name_pattern(names), METHODS).slow_for(1))


def _compares_all(text: str) -> int:
    words = text.split()
    return sum(one == other for one in words for other in words)


def _cuts(text: str) -> None:
    while text:
        text = text[1:].title()


def _takes_names_out(text: str) -> None:
    words = text.split()
    while "Ann's" in words:
        words = [*words[: words.index("Ann's")], *words[words.index("Ann's") + 1 :]]


@pytest.mark.long
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("function", [_compares_all, _cuts, _takes_names_out])
def test_a_slow_function_is_found(function: Callable[[str], object]) -> None:
    assert next(of_function("planted", function, (), random.Random(1)).slow_for(20), None)
