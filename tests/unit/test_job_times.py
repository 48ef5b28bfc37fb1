"""When jobs are due."""

from datetime import UTC, datetime, timedelta

import pytest

from graphmem.domain.durations import read_duration
from graphmem.domain.jobs import Job, Schedule, cron_every, parse_job
from graphmem.domain.profiles.parameters import Tiered
from graphmem.services.job_runs.times import newest_slot, next_time, slot_name, trigger_of
from graphmem.services.jobs.jobs import known_jobs

NOW = datetime(2026, 3, 29, 12, 34, 56, 789_000, tzinfo=UTC)  # in Berlin a day of 23 hours


def job(cron: str, zone: str = "UTC") -> Job:
    return Job(name="each", description="Does it.", cron=cron, time_zone=zone)


@pytest.mark.parametrize(
    ("cron", "zone", "newest", "following"),
    [
        ("*/5 * * * *", "UTC", "2026-03-29T12:30Z", "2026-03-29T12:35Z"),
        ("0 * * * *", "UTC", "2026-03-29T12:00Z", "2026-03-29T13:00Z"),
        ("0 2 * * *", "UTC", "2026-03-29T02:00Z", "2026-03-30T02:00Z"),
        ("0 3 * * *", "Europe/Berlin", "2026-03-29T01:00Z", "2026-03-30T01:00Z"),
        ("0 3 * * *", "America/New_York", "2026-03-29T07:00Z", "2026-03-30T07:00Z"),
        ("0 5 1 * *", "UTC", "2026-03-01T05:00Z", "2026-04-01T05:00Z"),
        ("0 5 * * mon", "UTC", "2026-03-23T05:00Z", "2026-03-30T05:00Z"),
        ("0 0 1 1 *", "UTC", "2026-01-01T00:00Z", "2027-01-01T00:00Z"),
    ],
)
def test_the_slots_around_now(cron: str, zone: str, newest: str, following: str) -> None:
    slot, then = newest_slot(job(cron, zone), NOW), next_time(job(cron, zone), NOW)
    assert slot is not None
    assert then is not None
    assert (slot_name(slot), slot_name(then)) == (newest, following)


def test_at_its_very_time_a_job_is_due_and_its_next_time_is_later() -> None:
    at = datetime(2026, 3, 29, 12, tzinfo=UTC)
    each = job("0 * * * *")
    assert newest_slot(each, at) == at
    assert newest_slot(each, at - timedelta(microseconds=1)) == at - timedelta(hours=1)
    assert next_time(each, at) == at + timedelta(hours=1)


def test_each_job_of_this_version_has_times() -> None:
    for each in known_jobs():
        slot = newest_slot(each, NOW)
        assert slot is not None
        assert slot <= NOW
        assert next_time(each, NOW - timedelta(seconds=1)) is not None


@pytest.mark.feature("TIER-17")
@pytest.mark.parametrize(
    ("interval", "newest", "following"),
    [
        ("5m", "2026-03-29T12:30Z", "2026-03-29T12:35Z"),
        ("300s", "2026-03-29T12:30Z", "2026-03-29T12:35Z"),
        ("20m", "2026-03-29T12:20Z", "2026-03-29T12:40Z"),
        ("60m", "2026-03-29T12:00Z", "2026-03-29T13:00Z"),
        ("8h", "2026-03-29T08:00Z", "2026-03-29T16:00Z"),
        ("1d", "2026-03-29T00:00Z", "2026-03-30T00:00Z"),
    ],
)
def test_an_interval_is_kept_across_hours_and_days(
    interval: str, newest: str, following: str
) -> None:
    each = Schedule(crons={"each": Tiered(interval=interval).cron}).with_own_times(job("0 0 1 1 *"))
    slot, then = newest_slot(each, NOW), next_time(each, NOW)
    assert slot is not None
    assert then is not None
    assert (slot_name(slot), slot_name(then)) == (newest, following)


@pytest.mark.parametrize("length", ["7m", "45m", "90m", "5h", "2d", "90s", "0m"])
def test_an_interval_that_no_cron_keeps_is_refused(length: str) -> None:
    with pytest.raises(ValueError, match="an interval is minutes that divide an hour"):
        cron_every(read_duration(length))


@pytest.mark.parametrize("cron", ["0 0 * * 0", "61 * * * *", "* * * * sunday"])
def test_times_that_programs_read_differently_are_refused(cron: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        trigger_of(job(cron))


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) RETURN n",
        "// Does it.\nMATCH (n) RETURN n",
        "// Does it.\n// cron: 0 * * * *\nMATCH (n) RETURN n",
        "// Does it.\n// cron: 0 * * *\n// time zone: UTC\nMATCH (n) RETURN n",
    ],
)
def test_a_file_without_its_times_is_no_job(text: str) -> None:
    with pytest.raises(ValueError, match="does not begin with what it does"):
        parse_job("each", text)
    found = parse_job("each", "// Does it.\n// cron: 0 * * * *\n// time zone: Asia/Tokyo\n")
    assert (found.cron, found.time_zone) == ("0 * * * *", "Asia/Tokyo")


def test_jobs_are_run_at_their_times_unless_they_are_off() -> None:
    assert Schedule().runs("sweep_decay")
    assert not Schedule(on=False).runs("sweep_decay")
    some = Schedule(off=("sweep_decay",))
    assert not some.runs("sweep_decay")
    assert some.runs("maintain_memory")
