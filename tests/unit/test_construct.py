"""Keywords and the one sentence of a curated note."""

from graphmem.domain.construct import context, keywords


def test_keywords_go_by_how_often_whether_a_name_and_how_early() -> None:
    text = "The relay failed. Engineers replaced the relay in the Halden kiln; the relay works."
    words = keywords(text)
    assert words[0] == "relay"
    assert words.index("halden") < words.index("works")
    assert len(words) == 7
    assert not {"the", "in"} & set(words)


def test_keywords_are_lower_case_and_distinct() -> None:
    assert keywords("Kiln kiln KILN") == ("kiln",)
    assert keywords("it is the") == ()
    assert keywords("alpha beta gamma delta", most=2) == ("alpha", "beta")


def test_the_context_is_the_first_sentence() -> None:
    assert context("The kiln broke. We wait.") == "The kiln broke."
    assert context("  No stop here\nSecond line") == "No stop here"
    assert context("Version 3.11 is out! Good.") == "Version 3.11 is out!"
    long = context("word " * 100)
    assert len(long) <= 240
    assert long.endswith("word…")
