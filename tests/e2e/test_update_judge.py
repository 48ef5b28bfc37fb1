"""The judge of updates with its real weights."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from graphmem.ai import update_judge
from graphmem.ai.embedder import DEFAULT_MODEL
from graphmem.ai.update_judge import LONGEST, UpdateJudge, open_judge
from graphmem.domain.writing import UpdateVerdict, Writing

RULES = Writing()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def judge() -> AsyncIterator[UpdateJudge]:
    judge = UpdateJudge()
    yield judge
    await judge.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The launch is planned for 3 May.", "The launch was moved to 17 May."),
        ("The budget for the website is 4,000 euros.", "We have 5,500 to spend on the site now."),
        ("The team meets on Mondays.", "The team meets on Wednesdays from now on."),
        ("Kai is our treasurer.", "Rosa is our treasurer since the AGM."),
        ("The user prefers dark mode.", "The user switched to light mode."),
    ],
)
async def test_what_changes_is_noticed(judge: UpdateJudge, old: str, new: str) -> None:
    (verdict,) = await judge.verdicts([(old, new)])
    assert verdict.outdated >= RULES.in_doubt


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Dana works at Kestrel.", "Dana is training for a marathon."),
        ("The kiln in the yard is red.", "The choir sings in the Corn Exchange."),
        ("Churn in March was 2 percent.", "Churn in April was 3 percent."),
        ("The bakery sells rye bread.", "The bakery is next to the post office."),
    ],
)
async def test_what_stays_true_is_left(judge: UpdateJudge, old: str, new: str) -> None:
    (verdict,) = await judge.verdicts([(old, new)])
    assert verdict.outdated < RULES.in_doubt
    assert verdict.same < RULES.same


async def test_a_verdict_depends_on_nothing_beside_it(judge: UpdateJudge) -> None:
    pairs = [("The team meets on Mondays.", f"The team meets at {n}.") for n in range(12)]
    alone = [(await judge.verdicts([pair]))[0] for pair in pairs]
    assert await judge.verdicts(pairs) == alone
    both = await asyncio.gather(judge.verdicts(pairs), judge.verdicts(pairs[::-1]))
    assert both == [alone, alone[::-1]]


@pytest.mark.parametrize("text", ["", "\ud800", "x" * LONGEST, "中文 👍", "\0\n", "a " * 240])
async def test_any_text_is_judged(judge: UpdateJudge, text: str) -> None:
    for pair in ((text, "The kiln is red."), ("The kiln is red.", text)):
        (verdict,) = await judge.verdicts([pair])
        assert min(verdict.replaced, verdict.partly, verdict.same) >= 0
        assert verdict.outdated + verdict.same <= 1 + 1e-9


async def test_long_texts_are_not_judged(judge: UpdateJudge) -> None:
    assert await judge.verdicts([("x" * (LONGEST + 1), "y")]) == [UpdateVerdict()]
    assert await judge.verdicts([]) == []


def test_the_weights_are_small() -> None:
    assert (Path(update_judge.__file__).parent / update_judge.FILE).stat().st_size < 700_000


def test_another_model_has_no_judge_and_it_can_be_off() -> None:
    assert open_judge("hash") is None
    assert open_judge(DEFAULT_MODEL, on=False) is None
