"""The key by which a copy of a text is known, and who puts a note away."""

import pytest

from graphmem.domain.actors import BY_DETECTION, BY_FORGET, MANUAL, Agent, Viewer
from graphmem.language.text_features import text_key
from graphmem.services.consolidation.writing import MAKER
from graphmem.services.writing.rights import put_away_by

TEXT = "Voucher 17 opens the café's northern gate."


@pytest.mark.parametrize(
    "copied",
    [
        TEXT.upper(),
        f"  {TEXT[:-1]} !!",
        TEXT.replace(" ", " \n\u200b"),
        TEXT.replace("é", "e\u0301"),
        TEXT.replace("17", "\uff11\uff17"),
        TEXT.replace("17", "\u0661\u0667"),
        TEXT.replace("fi", "\ufb01"),
    ],
)
def test_a_copy_in_another_dress_has_the_same_key(copied: str) -> None:
    assert text_key(copied) == text_key(TEXT)


@pytest.mark.parametrize("other", [TEXT.replace("17", "18"), TEXT.replace("opens", "closes")])
def test_another_text_has_another_key(other: str) -> None:
    assert text_key(other) != text_key(TEXT)


@pytest.mark.parametrize("short", ["", "Yes, thank you.", "\ud800", "!" * 500])
def test_what_is_too_short_to_be_a_copy_has_none(short: str) -> None:
    assert text_key(short) is None


AGENT = Agent(id="a", user="u", name="a")


@pytest.mark.parametrize(
    ("agent", "actor", "by"),
    [
        (None, MANUAL, None),
        (None, BY_FORGET, None),
        (None, BY_DETECTION, f"{BY_DETECTION}/verdict"),
        (None, MAKER, f"{MAKER}/verdict"),
        (AGENT, "bot:a", "bot:a"),
        (AGENT, BY_FORGET, "bot:a"),
    ],
)
def test_only_the_user_in_person_puts_away_what_a_team_knows(
    agent: Agent | None, actor: str, by: str | None
) -> None:
    assert put_away_by(Viewer(user="u", agent=agent), actor) == by
    decided = Viewer(user="u", agent=AGENT, approved=True, decided_by_user=True)
    assert put_away_by(decided, MANUAL) is None
