"""The times at which jobs are due, by the five fields of cron in their own time zone."""

from datetime import UTC, datetime, timedelta

from apscheduler.triggers.cron import CronTrigger

from graphmem.domain.jobs import Job, Schedule, parse_job
from graphmem.resources import folder

_BACK = tuple(timedelta(days=days) for days in (1 / 24, 1, 32, 367))


def trigger_of(job: Job, *, jitter_s: int | None = None) -> CronTrigger:
    """Return the times of a job; `jitter_s` moves each by at most so many seconds.

    Raises ValueError for fields that no cron has, and for a day of the week as a number, which
    different programs read as different days.
    """
    fields = job.cron.split()
    if any(letter.isdigit() for letter in fields[4]):
        raise ValueError(f"jobs/{job.name}.cypher: write the day of the week as mon, tue, ...")
    minute, hour, day, month, weekday = fields
    return CronTrigger(
        minute=minute,
        hour=hour,
        day=day,
        month=month,
        day_of_week=weekday,
        timezone=job.time_zone,
        jitter=jitter_s,
    )


def next_time(job: Job, now: datetime) -> datetime | None:
    """Return the first time after `now` at which a job is due, in UTC."""
    found = trigger_of(job).get_next_fire_time(None, now + timedelta(microseconds=1))
    return None if found is None else found.astimezone(UTC)


def next_run_of(name: str, schedule: Schedule, now: datetime) -> datetime | None:
    """Return the first time after `now` at which a job will be run by itself, in UTC.

    None where the schedule leaves the job out.
    """
    if not schedule.runs(name):
        return None
    text = (folder("jobs") / f"{name}.cypher").read_text(encoding="utf-8")
    return next_time(schedule.with_own_times(parse_job(name, text)), now)


def newest_slot(job: Job, now: datetime) -> datetime | None:
    """Return the newest time at or before `now` at which a job was due, in UTC.

    None in the first year of a job that is due on a day that has not come.
    """
    trigger = trigger_of(job)
    for back in _BACK:
        newest = None
        found = trigger.get_next_fire_time(None, now - back)
        while found is not None and found <= now:
            newest = found
            found = trigger.get_next_fire_time(None, found + timedelta(microseconds=1))
        if newest is not None:
            return newest.astimezone(UTC)
    return None


def slot_name(slot: datetime) -> str:
    """Return the name of a slot in its run."""
    return f"{slot.astimezone(UTC):%Y-%m-%dT%H:%M}Z"
