"""Reflections that come by themselves, of a topic, and not too often."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aged_notes import NOW, JobHeartbeat

from graphmem.domain.notes import Kind, NoteDraft, WriteMode
from graphmem.domain.reflection import Cause, Reflecting, Reflection, ReflectionStatus
from graphmem.errors import RateLimited
from graphmem.language.messages import topic_of
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.jobs import reflection as job
from graphmem.services.jobs.reflection import REFLECTOR, reflect_episodes, reflect_memory
from graphmem.services.reflection.reading import list_reflections
from graphmem.services.reflection.reflecting import reflect
from graphmem.services.sessions.remembering import remember
from graphmem.services.sessions.sessions import close_session, open_session
from graphmem.services.writing.remember import remember_many
from graphmem.store.events import list_events
from graphmem.store.jobs import users_to_reflect, users_with_episodes

SAID = ("The kiln in the north shed needs a new lid.", "The bakery on Elm Street opens at seven.")


class Thoughts:
    """One user's memory, and reflections on it."""

    def __init__(self, context: Context, user: str) -> None:
        self.context, self.user, self.now = context, user, NOW
        self.rules = Reflecting(session_notes=3, threshold=5)

    @property
    def service(self) -> Context:
        return replace(self.context, clock=lambda: self.now, reflecting=self.rules)

    async def access(self, agent: str | None = None) -> Any:
        return await open_access(self.service, self.user, agent, register=True)

    async def tell(self, *texts: str) -> None:
        drafts = [
            (NoteDraft(content=text, episode=f"e{i}", kind=Kind.EPISODIC), WriteMode.VERBATIM)
            for i, text in enumerate(texts)
        ]
        await remember_many(self.service, await self.access(), drafts)

    async def run(self, work: Any = reflect_memory) -> dict[str, int]:
        return dict(await work(self.service, JobHeartbeat()))

    async def made(self, **given: Any) -> list[Reflection]:
        """The reflections, oldest first."""
        found = await list_reflections(
            self.service, await self.access(), status=None, first=20, **given
        )
        return [each.reflection for each in reversed(found)]


@pytest.fixture
def thoughts(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> Thoughts:
    made = Thoughts(context, new_user())
    for name, read in (
        ("users_to_reflect", users_to_reflect),
        ("users_with_episodes", users_with_episodes),
    ):

        async def own(*args: Any, read: Any = read, **given: Any) -> Any:
            rows = await read(*args, **given | {"limit": 100_000})
            return [row for row in rows if row["user"] == made.user]

        monkeypatch.setattr(job.store, name, own)
    return made


@pytest.mark.feature("MOLT-41")
async def test_each_night_brings_a_reflection_on_what_is_new(thoughts: Thoughts) -> None:
    assert (await thoughts.run())["reflections"] == 0
    await thoughts.tell(SAID[0], SAID[0])
    thoughts.now += timedelta(hours=10)
    counts = await thoughts.run()
    (made,) = await thoughts.made()
    assert (counts["reflections"], counts["items"]) == (1, len(made.items))
    assert (made.cause, made.maker, made.status) == (
        Cause.SCHEDULE,
        None,
        ReflectionStatus.PENDING,
    )
    access = await thoughts.access()
    (event,) = await list_events(
        thoughts.context.graph, thoughts.user, access.of_events, types=["PROPOSE"], limit=9
    )
    assert event.actor == REFLECTOR
    thoughts.now += timedelta(days=1)
    assert (await thoughts.run())["reflections"] == 0  # nothing is new
    await thoughts.tell("A lone remark.")
    assert (await thoughts.run())["reflections"] == 0  # nothing to decide


@pytest.mark.feature("MOLT-41")
async def test_a_long_session_is_reflected_on_by_its_agent(thoughts: Thoughts) -> None:
    for texts, wanted in ((("One.", "Two."), 0), (("Three.", "Four.", "Five."), 1)):
        session, _ = await open_session(thoughts.service, await thoughts.access("smith"), None)
        for text in texts:
            access = await thoughts.access("smith")
            draft = NoteDraft(content=text, session_id=session.id)
            await remember(thoughts.service, access, draft)
        await close_session(thoughts.service, await thoughts.access("smith"), session.id)
        assert (await thoughts.run(reflect_episodes))["reflections"] == wanted
    (made,) = await thoughts.made()
    assert (made.cause, made.maker) == (Cause.SESSION, "smith")
    thoughts.now += timedelta(days=1)
    assert (await thoughts.run(reflect_episodes))["reflections"] == 0


@pytest.mark.feature("MOLT-41")
async def test_many_episodes_bring_a_reflection_but_not_sooner_than_an_hour_after_the_last(
    thoughts: Thoughts,
) -> None:
    await thoughts.tell("One.", "Two.", "Three.", "Four.")
    thoughts.now += timedelta(minutes=5)
    assert (await thoughts.run(reflect_episodes))["reflections"] == 0
    await thoughts.tell("Five.")
    thoughts.now += timedelta(minutes=5)
    assert (await thoughts.run(reflect_episodes))["reflections"] == 1
    (made,) = await thoughts.made()
    assert (made.cause, made.maker) == (Cause.EPISODES, None)
    thoughts.now += timedelta(minutes=5)
    await thoughts.tell("Six.", "Seven.", "Eight.", "Nine.", "Ten.")
    thoughts.now += timedelta(minutes=50)
    assert (await thoughts.run(reflect_episodes))["reflections"] == 0
    thoughts.now += timedelta(minutes=10)
    assert (await thoughts.run(reflect_episodes))["reflections"] == 1


@pytest.mark.feature("MOLT-41", "MOLT-94")
async def test_who_asks_too_often_is_told_so(thoughts: Thoughts) -> None:
    thoughts.rules = Reflecting(most_an_hour=2)
    access, agent = await thoughts.access(), await thoughts.access("smith")
    for _ in range(2):
        made = await reflect(thoughts.service, access)
        assert made.reflection.cause is Cause.ASKED
    with pytest.raises(RateLimited, match="at most 2 reflections an hour"):
        await reflect(thoughts.service, access)
    await reflect(thoughts.service, agent)
    thoughts.now += timedelta(hours=1)
    await reflect(thoughts.service, access)


@pytest.mark.feature("MOLT-26")
async def test_a_reflection_on_a_topic_is_about_nothing_else(thoughts: Thoughts) -> None:
    await thoughts.tell(SAID[0], SAID[0], SAID[1], SAID[1])
    access = await thoughts.access()
    about = await reflect(thoughts.service, access, "kiln")
    words = " ".join(each.summary for each in about.words)
    assert "kiln" in words
    assert "bakery" not in words
    whole = await reflect(thoughts.service, access)
    assert "bakery" in " ".join(each.summary for each in whole.words)


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("my projects", "projects"),
        ("the kiln", "kiln"),
        ("last week", None),
        ("your memories", None),
        ("everything about sales", None),
        ("", None),
    ],
)
def test_the_topic_of_a_request(said: str, topic: str | None) -> None:
    assert topic_of(said) == topic
