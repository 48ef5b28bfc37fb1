"""Evidence and how sure it makes one; the one key of a topic."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphmem.domain.actors import Agent
from graphmem.domain.expertise import (
    HALF_LIFE,
    Evidence,
    Expert,
    confidence,
    decayed_counts,
    expertise_of,
    sort_experts,
)
from graphmem.language.topic_keys import topic_key, topic_keys_in, topics_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def evidence(age: timedelta = timedelta(), **given: Any) -> Evidence:
    """A note of that age."""
    usual = {"note": "n", "user": "ann", "author": "coding", "audience": "a", "domain": "work"}
    return Evidence(written=NOW - age, **{"topics": ("kiln",), **usual, **given})


def sure(*found: Evidence) -> float:
    return confidence(*decayed_counts(found, NOW))


@pytest.mark.feature("MUMA-56")
def test_success_raises_and_failure_lowers_how_sure_one_is() -> None:
    plain, helped, failed = evidence(), evidence(helped=(NOW,)), evidence(failed=(NOW,))
    assert sure() < sure(failed) < sure(plain) < sure(helped) < sure(helped, helped) < 1
    assert sure(evidence(recalled=(NOW,))) > sure(plain)
    assert sure(evidence(fit=0.5)) < sure(plain)


def test_many_notes_of_one_writer_count_less_than_one_each() -> None:
    few, many, most = (sure(*[evidence()] * n) for n in (1, 10, 500))
    assert few < many < most < 0.9
    assert sure(*[evidence(failed=(NOW,))] * 500) < 0.4


def test_half_of_an_observation_is_left_after_its_half_life() -> None:
    one, other = decayed_counts([evidence(HALF_LIFE)], NOW), decayed_counts([evidence()], NOW)
    assert one[0] == pytest.approx(other[0] / 2)
    late = evidence(failed=(NOW - 2 * HALF_LIFE,))
    assert decayed_counts([late], NOW)[1] == pytest.approx(0.25)


def test_what_is_known_of_a_topic_is_counted() -> None:
    found = [evidence(helped=(NOW,)), evidence(timedelta(days=3), failed=(NOW, NOW))]
    known = expertise_of("kiln", found, NOW)
    assert (known.evidence, known.successes, known.failures) == (2, 1, 2)
    assert known.updated_at == NOW


@pytest.mark.feature("MUMA-54")
def test_load_and_then_recency_break_ties() -> None:
    def expert(agent: str, hours: int, task: str | None = None, sure: float = 0.7) -> Expert:
        return Expert(
            user="ann",
            agent=Agent(id=agent, user="ann", name=agent, current_task=task),
            topic="kiln",
            confidence=sure,
            last_active_at=NOW - timedelta(hours=hours),
        )

    late, early, busy = expert("late", 1), expert("early", 5), expert("busy", 0, "Fire the kiln")
    best = expert("best", 9, "Mend it", sure=0.8)
    assert sort_experts([busy, early, late, best]) == [best, late, early, busy]
    nearly = expert("nearly", 0, sure=0.7004)
    assert sort_experts([late, nearly]) == [nearly, late]


@pytest.mark.feature("MUMA-54")
def test_a_topic_has_one_key_however_it_is_written() -> None:
    spellings = ("Kubernetes deployments", "kubernetes-deployment", "kubernetes/deployment")
    assert {topic_key(each) for each in spellings} == {"kubernet deploy"}
    assert topic_key("?") == ""
    keys = topic_keys_in("Plan the kubernetes-deployment of today")
    assert {"kubernet deploy", "plan", "plan kubernet deploy"} <= set(keys)
    assert len(topic_keys_in("word " * 99 + " ".join(map(str, range(99))))) == 14 + 13 + 12


def test_the_topics_of_a_note_are_called_as_it_calls_them() -> None:
    found = topics_of(("Orion",), ("orion", "kiln repair"), "work/kiln")
    assert list(found.values()) == ["Orion", "kiln repair", "kiln", "work"]
