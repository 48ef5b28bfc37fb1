"""What is kept of a topic's notes."""

from datetime import UTC, datetime

import pytest

from graphmem.domain.extraction import Extraction
from graphmem.language.extraction import extract
from graphmem.language.topics import lines_of, read_topic, topic_text

AT = datetime(2026, 2, 17, 9, tzinfo=UTC)


def read(sentence: str) -> Extraction:
    return extract(sentence, title=None, speaker=None, occurred_at=None, now=AT)


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.feature("TIER-9")
def test_what_matters_of_the_documents_example_stays() -> None:
    said = (
        "Today I worked on the deployment. The server kept failing because of Docker issues. "
        "Finally got it working at 3am. Note: Need to fix the Dockerfile for better caching."
    )
    text = topic_text(lines_of(said, AT, read), 500, words)
    for kept in ("Docker issues", "Dockerfile", "caching", "17 February 2026"):
        assert kept in text
    assert "## Action Items\n- [ ] Note: Need to fix the Dockerfile" in text


@pytest.mark.feature("TIER-9")
def test_talk_goes_and_each_kind_has_its_place() -> None:
    said = (
        "Hello there! That was a nice walk. We decided to use pnpm. I prefer short meetings. "
        "Ida called on Monday.\n- [ ] Configure certificates\n- [x] Set up monitoring"
    )
    text = topic_text(lines_of(said, AT, read), 500, words)
    assert "walk" not in text
    assert "Hello" not in text
    summary, decisions, actions = text.split("\n\n")
    assert "I prefer short meetings." in summary
    assert "Ida called on Monday." in summary
    assert "- Done: Set up monitoring (17 February 2026)" in summary
    assert decisions.startswith("## Key Decisions\n- We decided to use pnpm.")
    assert actions == "## Action Items\n- [ ] Configure certificates (17 February 2026)"
    assert topic_text(read_topic(text), 500, words) == text


@pytest.mark.feature("TIER-9")
def test_the_budget_drops_what_is_worth_least_and_oldest_first() -> None:
    said = "\n".join([*(f"Ida saw kiln {i}." for i in range(40)), "We decided to use kiln 7."])
    lines = lines_of(said, AT, read)
    text = topic_text(lines, 60, words)
    assert words(text) <= 60
    assert "decided" in text
    assert "kiln 39" in text or "kiln 38" in text
    assert "kiln 0." not in text


def test_what_is_told_again_stands_once() -> None:
    lines = lines_of("Ida has the key.", AT, read)
    later = lines_of("Ida has the key", AT.replace(day=18), read)
    assert topic_text([*lines, *later], 500, words) == (
        "## Summary\n- Ida has the key (18 February 2026)"
    )
    assert lines_of("So it goes.", AT, read) == []
    (spare,) = lines_of("So it goes.", AT, read, spare=True)
    assert spare.text == "So it goes. (17 February 2026)"
