"""What notes tell together, whether that says all of one, and which vectors belong together."""

from datetime import UTC, datetime
from math import exp, log
from random import Random

import pytest

from graphmem.ai.clustering import group_vectors
from graphmem.domain.consolidation import EpisodeToSummarise
from graphmem.language.lasting import is_lasting
from graphmem.language.takeaway import (
    ToldSentence,
    context_of,
    is_captured,
    statements_of,
    takeaway,
)
from graphmem.services.consolidation.summaries import batches_of, clusters_of

AT = datetime(2026, 3, 10, tzinfo=UTC)


def told(text: str, speaker: str | None = None) -> tuple[ToldSentence, ...]:
    return statements_of(text, speaker, AT)


def groups(vectors: list[list[float]], hours: list[float]) -> list[list[int]]:
    return group_vectors(vectors, hours, similarity=0.5, scale_hours=72)


@pytest.mark.feature("MUMA-70")
def test_notes_join_by_meaning_and_time() -> None:
    same = [1.0, 0.0]
    assert groups([same, same, same], [0, 1, 0.5]) == [[0, 1, 2]]
    assert groups([same, same], [0, 72]) == [[0], [1]]  # 3 days apart
    last = 72 * log(2)  # where the factor is a half
    assert groups([same, same], [0, last - 0.1]) == [[0, 1]]
    assert groups([same, same], [0, last + 0.1]) == [[0], [1]]
    assert groups([same, [0.5, 3**0.5 / 2]], [0, 0]) == [[0, 1]]
    assert groups([same, [0.49, (1 - 0.49**2) ** 0.5]], [0, 0]) == [[0], [1]]
    assert groups([], []) == []


@pytest.mark.feature("MUMA-70")
def test_groups_are_those_of_all_pairs() -> None:
    rng = Random(4)
    vectors = []
    for _ in range(300):
        one, other = rng.gauss(0, 1), rng.gauss(0, 1)
        size = (one**2 + other**2) ** 0.5
        vectors.append([one / size, other / size])
    hours = [rng.uniform(0, 2000) for _ in vectors]
    part = list(range(300))
    for i in range(300):
        for j in range(i):
            near = sum(a * b for a, b in zip(vectors[i], vectors[j], strict=True))
            if near * exp(-abs(hours[i] - hours[j]) / 72) >= 0.5:
                old, new = part[i], part[j]
                part = [new if each == old else each for each in part]
    wanted = {tuple(i for i in range(300) if part[i] == each) for each in part}
    assert {tuple(group) for group in groups(vectors, hours)} == wanted
    assert len(wanted) > 10


def test_clusters_have_three_notes_at_least_and_large_ones_are_divided_in_time() -> None:
    collected = [
        EpisodeToSummarise(id=f"n{i:02}", hours=float(100 - i), vector=(1.0,)) for i in range(60)
    ]
    assert clusters_of(collected, [[0, 1], [5, 4, 3]]) == [("n05", "n04", "n03")]
    runs = clusters_of(collected, [list(range(60))])
    assert [len(run) for run in runs] == [20, 20, 20]
    assert (runs[0][0], runs[-1][-1]) == ("n59", "n00")
    assert [len(each) for each in batches_of(runs)] == [1, 1, 1]
    assert [len(each) for each in batches_of([("a", "b", "c")] * 11)] == [6, 5]


@pytest.mark.feature("MUMA-71")
def test_a_takeaway_is_made_of_the_notes_own_sentences() -> None:
    notes = [
        told("Good morning! The kiln in the north shed overheats."),
        told("The kiln overheats again. Lunch was soup."),
        told("The north shed kiln overheats when the damper is shut."),
    ]
    chosen = takeaway(notes)
    said = [each.text for each in chosen]
    assert said == ["The kiln in the north shed overheats."]
    assert context_of(3, chosen[0].text) == (
        "Based on these 3 interactions, the key takeaway is: The kiln in the north shed overheats."
    )
    assert takeaway([told("Thank you!"), told("Best regards")]) == []


LASTING = """Halden Labs moves to the harbour in May.
We decided to fire the kiln on Fridays.
Ida prefers tea in the morning.
The deploy key lies in the vault of the north office.
The budget of the roof was raised to 4,000 euros.
I work at the dairy since 2019."""
FLEETING = """What kind of books are there?
Wow, that sounds awesome!
Glad it worked out in the end.
So cool that the group was helpful.
Your creativity looks great.
This has been on my mind for days.
[shares a photo of a dog on a beach].
Thanks for the hint with the damper.
The time with the family was amazing.
And then the whole thing was over.
Here is the plan for the week:
I think the kiln might be broken.
Let me know when the roof is done.
Yes, the blue one."""


@pytest.mark.parametrize("text", LASTING.splitlines())
def test_what_is_understood_by_whoever_was_not_there_lasts(text: str) -> None:
    assert is_lasting(text)


@pytest.mark.parametrize("text", FLEETING.splitlines())
def test_talk_does_not_last(text: str) -> None:
    assert not is_lasting(text)


@pytest.mark.parametrize(
    "notes",
    [
        ["The kiln overheats in the north shed."] * 2,  # one statement of two notes
        ["The kiln overheats.", "Ida prefers tea.", "The roof leaks."],  # of three things
        ["Does the kiln overheat?"] * 3,
    ],
)
def test_notes_without_one_thing_in_common_have_no_takeaway(notes: list[str]) -> None:
    assert takeaway([told(each) for each in notes]) == []


def test_turns_of_a_conversation_have_no_takeaway() -> None:
    said = "The kiln in the north shed overheats."
    assert takeaway([told(said)] * 3)
    assert takeaway([told(said, "Ana")] * 3) == []


def test_a_takeaway_tells_who_said_it_and_the_day_that_a_sentence_needs() -> None:
    (first,) = told("Yesterday the kiln cracked", "Ana")
    assert first.shown == "Ana: Yesterday the kiln cracked. (10 March 2026)"
    assert told("The kiln is blue.")[0].shown == "The kiln is blue."


@pytest.mark.feature("MUMA-72")
@pytest.mark.parametrize(
    ("note", "whole"),
    [
        ("The kiln overheats.", True),
        ("The kiln overheats. Thanks!", True),
        ("The kiln overheats at 1240 degrees.", False),
        ("The kiln does not overheat.", False),
        ("The kiln overheats since March 3.", False),
        ("Ida's kiln overheats.", False),
        ("The kiln overheats. Ida has the key.", False),
        ("Thanks!", False),
    ],
)
def test_a_note_is_captured_only_when_nothing_of_it_is_lost(note: str, whole: bool) -> None:
    assert is_captured(told(note), told("The kiln overheats.")) is whole


@pytest.mark.feature("MUMA-72")
def test_who_said_it_and_when_counts_too() -> None:
    summary = told("The kiln overheats.", "Ana")
    assert is_captured(told("The kiln overheats.", "Ana"), summary)
    assert not is_captured(told("The kiln overheats.", "Bo"), summary)
    later = datetime(2026, 3, 11, tzinfo=UTC)
    assert not is_captured(statements_of("It broke today.", None, later), told("It broke today."))
    assert is_captured(told("It broke today."), told("It broke today."))
