"""An access: what of the audiences a viewer reads by name, what it is told of, for how many it may
write, and what the step of a change's events checks."""

from dataclasses import replace

import pytest

from graphmem.domain.actors import Agent, Viewer
from graphmem.domain.notes import MAX_BATCH
from graphmem.domain.visibility import (
    Audience,
    Section,
    Visibility,
    audience_of,
    team_audience,
)
from graphmem.errors import Forbidden
from graphmem.services.context import (
    MAX_AUDIENCES,
    MAX_AUDIENCES_OF_AGENT,
    Access,
    check_audience,
    events_step,
)

OPEN = audience_of("ada", Visibility.OPEN, "work")
HOME = audience_of("ada", Visibility.SCOPED, "home")
OWN = audience_of("ada", Visibility.USER_ONLY, "work")
NEW = audience_of("ada", Visibility.SCOPED, "work/new")
KNOWN = team_audience("kiln", Section.KNOWLEDGE, "work")
HOMES = team_audience("kiln", Section.KNOWLEDGE, "home")


def access(agent: Agent | None = None, writes_for: int = 2) -> Access:
    return Access(
        viewer=Viewer(user="ada", agent=agent, teams=("kiln",)),
        audiences=(OPEN, HOME, OWN),
        of_teams=(KNOWN, HOMES),
        rules={"home": Visibility.PRIVATE},
        default=Visibility.SCOPED,
        version=7,
        writes_for=writes_for,
    )


BOT = Agent(id="bot", user="ada", name="bot", domains=("work",))


def test_nobody_has_written_or_borrowed_anything_at_first() -> None:
    viewer = Viewer(user="ada")
    fresh = Access(viewer=viewer, audiences=(), rules={}, default=Visibility.OPEN)
    assert (fresh.writes_for, fresh.lent) == (0, False)


def test_audiences_of_written_notes_are_taken_in_once_each() -> None:
    grown = access().with_audiences([NEW, OPEN, NEW])
    assert grown.audiences == (OPEN, HOME, OWN, NEW)
    assert grown.writes_for == 3


@pytest.mark.parametrize(
    ("agent", "own", "of_teams"),
    [(None, (OPEN, HOME, OWN), (KNOWN, HOMES)), (BOT, (OPEN,), (KNOWN,))],
)
def test_what_is_read_by_name_is_what_events_are_told_of_beside_the_settings_of_a_person(
    agent: Agent | None, own: tuple[Audience, ...], of_teams: tuple[Audience, ...]
) -> None:
    opened = access(agent)
    assert opened.by_name == tuple(sorted(each.key for each in own))
    assert opened.by_name_of_teams == tuple(sorted(each.key for each in of_teams))
    settings = () if agent else ("u:ada",)
    assert opened.of_events == (*opened.by_name, *opened.by_name_of_teams, *settings)


def test_rules_are_told_to_the_user_in_person_alone() -> None:
    assert access().told_rules == {"home": Visibility.PRIVATE}
    assert access(BOT).told_rules == {}


@pytest.mark.parametrize(("agent", "most"), [(None, MAX_AUDIENCES), (BOT, MAX_AUDIENCES_OF_AGENT)])
def test_a_writer_that_writes_for_the_most_groups_writes_for_those_it_reads_alone(
    agent: Agent | None, most: int
) -> None:
    check_audience(access(agent, most - 1), NEW)
    full = access(agent, most)
    check_audience(full, OPEN)
    with pytest.raises(
        Forbidden, match=f"^notes of this writer have {most} groups of readers; use a known domain$"
    ):
        check_audience(full, NEW)


def test_an_audience_that_an_agent_may_not_read_is_as_new_as_one_that_is_not_there() -> None:
    full = access(BOT, MAX_AUDIENCES_OF_AGENT)
    for audience in (HOME, replace(NEW, domain="home/new"), NEW):
        with pytest.raises(Forbidden):
            check_audience(full, audience)


def test_a_person_writes_for_their_own_notes_that_no_recall_finds_whatever_else_there_is() -> None:
    check_audience(access(writes_for=MAX_AUDIENCES), OWN)


@pytest.mark.parametrize(
    ("agent", "most"),
    [(None, MAX_AUDIENCES + MAX_BATCH), (BOT, MAX_AUDIENCES_OF_AGENT + MAX_BATCH)],
)
def test_events_of_a_change_are_appended_unless_too_many_new_audiences_came_meanwhile(
    agent: Agent | None, most: int
) -> None:
    for readers, checked in (((), None), ((OPEN,), None), ((NEW,), most), ((OPEN, NEW), most)):
        step = events_step(access(agent), (), readers)
        assert step.query == "events/append"
        assert step.parameters["stream"] == "ada"
        assert step.parameters["agent"] == (agent.id if agent else None)
        assert step.parameters["most"] == checked
