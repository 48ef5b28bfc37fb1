"""The generated pages of a synced folder, compared with what the services say of a real graph."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pytest
from aged_notes import NOW, JobHeartbeat, World

from graphmem.domain.actors import AgentRole, Unlisted
from graphmem.domain.core import Block
from graphmem.domain.notes import (
    EntityDraft,
    Kind,
    Note,
    NoteDraft,
    RelationDraft,
    Source,
    Tier,
    WriteMode,
)
from graphmem.domain.strength import relevance_of
from graphmem.domain.visibility import Visibility
from graphmem.errors import Forbidden, Invalid
from graphmem.services.actors import (
    list_agents,
    open_access,
    register_agent,
    report_status,
    set_unlisted,
)
from graphmem.services.context import Access, Context
from graphmem.services.core import automatic, core_memory, set_core_block
from graphmem.services.events import list_events
from graphmem.services.exporting.exporting import export
from graphmem.services.handoffs.handoffs import spawn
from graphmem.services.jobs import consolidation
from graphmem.services.reading.entities import get_entity, notes_of, relations_of
from graphmem.services.reading.notes import load_many
from graphmem.services.reflection.reflecting import reflect
from graphmem.services.sessions.remembering import remember
from graphmem.services.sessions.sessions import open_session
from graphmem.services.syncing.pages import Page, apply_edit, name_files, read_pages
from graphmem.services.syncing.reading import KnownNotes
from graphmem.services.writing.changing import Edit, pin, revise, revisions_of
from graphmem.services.writing.links import link
from graphmem.services.writing.remember import remember_many
from graphmem.store.consolidation import users_to_consolidate

ADA = EntityDraft(name="Ada Kessler", type="person", aliases=("Ada",))
HALDEN = EntityDraft(name="Halden", type="project")
ADAS = "memory/graph/entities/person--ada-kessler.md"


async def pages_of(context: Context, access: Access) -> list[Page]:
    """All pages of what a viewer may read."""
    notes = await KnownNotes().read(context, access)
    return await read_pages(context, access, notes.values())


class Folder:
    """One user's memory, and the pages of it."""

    def __init__(self, context: Context, user: str) -> None:
        self.user, self.now = user, NOW
        self._context = context

    @property
    def service(self) -> Context:
        return replace(self._context, clock=lambda: self.now)

    async def access(self, agent: str | None = None) -> Access:
        return await open_access(self.service, self.user, agent, register=True)

    async def write(self, *drafts: NoteDraft, agent: str | None = None) -> list[str]:
        given = [(draft, WriteMode.VERBATIM) for draft in drafts]
        done = await remember_many(self.service, await self.access(agent), given)
        return [each.note_id or "" for each in done]

    async def notes(self, *ids: str) -> list[Note]:
        found = await load_many(self.service, await self.access(), ids)
        return [found[each] for each in ids]

    async def pages(self, agent: str | None = None) -> dict[str, Page]:
        found = await pages_of(self.service, await self.access(agent))
        assert len({each.path for each in found}) == len(found)
        return {str(page.path): page for page in found}

    async def text(self, path: str, agent: str | None = None) -> str:
        return (await self.pages(agent))[path].text

    async def edit(self, path: str, change: Callable[[str], str]) -> list[str]:
        page = (await self.pages())[path]
        edited = change(page.text)
        assert edited != page.text
        return await apply_edit(self.service, await self.access(), page, page.text, edited)


@pytest.fixture
def folder(context: Context, new_user: Callable[[], str]) -> Folder:
    return Folder(context, new_user())


def fact(text: str, **given: Any) -> NoteDraft:
    return NoteDraft(content=text, entities=(ADA,), kind=Kind.SEMANTIC, **given)


def section(text: str, heading: str) -> list[str]:
    lines = text.splitlines()
    start = lines.index(heading) + 1
    rest = lines[start:]
    ends = [i for i, line in enumerate(rest) if line.startswith("#")]
    return rest[: ends[0]] if ends else rest


@pytest.mark.feature("MOLT-18")
async def test_the_page_of_an_entity(folder: Folder) -> None:
    day = datetime(2026, 2, 2, 9, tzinfo=UTC)
    plain, dated, asked, _ = await folder.write(
        fact("Ada Kessler repairs the kiln relay."),
        fact("Ada Kessler opened the shop.", occurred_at=day),
        fact("Does Ada Kessler like the copper roof?"),
        NoteDraft(
            content="Ada Kessler leads Halden.",
            entities=(ADA, HALDEN),
            relations=(RelationDraft(subject="Ada Kessler", predicate="leads", object="Halden"),),
        ),
    )
    access = await folder.access()
    await pin(folder.service, access, plain, True, None)
    text = await folder.text(ADAS)
    entity = await get_entity(folder.service, access, None, "Ada Kessler")
    ids = (await notes_of(folder.service, access, [entity.id], 50))[entity.id]
    notes = await folder.notes(*ids)
    assert len(ids) == entity.note_count == 4
    assert text.startswith("# person--ada-kessler\n")
    assert f"| Created: {min(n.created_at for n in notes):%Y-%m-%d} |" in text
    assert f"| Last updated: {max(n.updated_at for n in notes):%Y-%m-%d} -->" in text
    count = sum(note.access_count for note in notes)
    assert f"<!-- Decay score: 1.00 | Access count: {count} | Pinned: yes -->" in text
    assert f"- Ada Kessler repairs the kiln relay. <!-- gm:{plain} -->" in section(text, "## Facts")
    assert section(text, "## Timeline") == [
        f"- 2026-02-02: Ada Kessler opened the shop. <!-- gm:{dated} -->"
    ]
    assert section(text, "## Open Questions") == [
        f"- Does Ada Kessler like the copper roof? <!-- gm:{asked} -->"
    ]
    assert section(text, "## Relations") == ["- leads: [[project--halden]]"]
    assert "4 notes" in section(text, "## Summary")[0]
    halden = await folder.text("memory/graph/entities/project--halden.md")
    assert section(halden, "## Relations") == ["- led-by: [[person--ada-kessler]]"]


@pytest.mark.feature("MOLT-16", "MOLT-17", "MOLT-20")
async def test_the_index_and_the_words_of_relations(folder: Folder) -> None:
    said = RelationDraft(subject="Ada Kessler", predicate="uses", object="Halden", confidence=0.6)
    (note,) = await folder.write(
        NoteDraft(content="Ada uses Halden.", entities=(ADA, HALDEN), relations=(said,))
    )
    access = await folder.access()
    ada = await get_entity(folder.service, access, None, "Ada Kessler")
    (relation,) = (await relations_of(folder.service, access, [ada.id], 10))[ada.id]
    (only,) = await folder.notes(note)
    score = relevance_of(only, NOW, folder.service.ranking.decay)
    pages = await folder.pages()
    index = pages["memory/graph/index.md"].text
    assert section(index, "## Entity Registry")[2:] == [
        f"| person--ada-kessler | person | Ada Kessler | entities/person--ada-kessler.md "
        f"| {score:.2f} |",
        f"| project--halden | project | Halden | entities/project--halden.md | {score:.2f} |",
    ]
    assert section(index, "## Edges")[2:] == [
        f"| person--ada-kessler | uses | project--halden | medium ({relation.confidence:g}) "
        f"| {relation.first_seen_at:%Y-%m-%d} | — |"
    ]
    assert "- uses / used-by — 1 relation" in pages["memory/graph/relations.md"].text
    await pin(folder.service, access, note, True, None)
    assert "| 1.00 (pinned) |" in await folder.text("memory/graph/index.md")
    assert not pages["memory/graph/index.md"].editable


@pytest.mark.feature("MUMA-44")
async def test_links_are_seen_from_both_ends(folder: Folder) -> None:
    one, other, alone = await folder.write(fact("One."), fact("Two."), fact("Three."))
    await link(folder.service, await folder.access(), one, other, "because", None)
    found = json.loads(await folder.text("memory/graph/links.json"))
    assert (found[one], found[other], alone in found) == ([other], [one], False)


@pytest.mark.feature("MOLT-35", "MOLT-39")
async def test_decay_scores_are_those_of_the_notes(folder: Folder) -> None:
    ids = await folder.write(
        fact("Told.", source=Source.TOLD),
        fact("Seen.", source=Source.EXPERIENCE),
        fact("Guessed.", source=Source.INFERRED),
    )
    folder.now += timedelta(days=40)
    found = json.loads(await folder.text("memory/meta/decay-scores.json"))
    assert (found["version"], found["last_updated"]) == (1, f"{NOW:%Y-%m-%dT%H:%M:%SZ}")
    entries = found["entries"]
    assert [entries[i]["base_relevance"] for i in ids] == [1.0, 0.7, 0.5]
    for note in await folder.notes(*ids):
        assert entries[note.id] == {
            "store": "semantic",
            "base_relevance": entries[note.id]["base_relevance"],
            "created": f"{note.created_at:%Y-%m-%dT%H:%M:%SZ}",
            "last_accessed": None,
            "access_count": note.access_count,
            "type_weight": 1.2,
            "current_score": round(relevance_of(note, folder.now, folder.service.ranking.decay), 4),
            "status": note.status.lower(),
            "pinned": False,
        }


@pytest.mark.feature("MUMA-76", "MOLT-5")
async def test_core_memory_is_a_page_and_hand_written_lines_stay(folder: Folder) -> None:
    access = await folder.access()
    await set_core_block(folder.service, access, Block.IDENTITY, "Timezone: Europe/Berlin")
    text = await folder.text("MEMORY.md")
    assert section(text, "## Identity")[0] == "- Timezone: Europe/Berlin"
    done = await folder.edit(
        "MEMORY.md", lambda text: text.replace("## Persona", "## Persona\n- Likes short answers.")
    )
    assert done == ["Persona: 1 line written, 0 archived"]
    access = await folder.access()
    core = await core_memory(folder.service, access, automatic(access))
    assert [(line.block, line.text) for line in core.lines if line.note] == [
        (Block.IDENTITY, "Timezone: Europe/Berlin"),
        (Block.PERSONA, "Likes short answers."),
    ]
    (note,) = await folder.notes(next(li.note for li in core.parts[2].lines if li.note) or "")
    (revision,) = (await revisions_of(folder.service, access, [note.id], 5))[note.id]
    assert revision.actor == "manual"
    await folder.edit("MEMORY.md", lambda text: text.replace("- Likes short answers.\n", ""))
    assert "short answers" not in await folder.text("MEMORY.md")
    page = (await folder.pages())["MEMORY.md"]
    known = (
        "# MEMORY.md — Core Memory\n<!-- by hand -->\n## Critical Facts\n<!-- x -->\n- No nuts.\n"
    )
    done = await apply_edit(folder.service, await folder.access(), page, "", known)
    assert done == ["Critical Facts: 1 line written, 0 archived"]
    assert "\n- No nuts.\n" in await folder.text("MEMORY.md")
    with pytest.raises(Invalid, match="below one of"):
        await folder.edit("MEMORY.md", lambda text: text + "## Other\n- A line.\n")


@pytest.mark.feature("MOLT-19")
async def test_an_entity_page_that_was_edited_comes_back(folder: Folder) -> None:
    (first,) = await folder.write(fact("Ada Kessler repairs relays.", domain="work/kiln"))
    done = await folder.edit(
        ADAS,
        lambda text: text.replace("repairs relays", "repairs [big] relays").replace(
            "## Timeline", "- Ada paints.\n## Timeline\n- 2026-01-05: She was in Ulm."
        ),
    )
    assert len(done) == 3
    assert done[0] == f"note {first} revised"
    written = [line.split()[1] for line in done[1:]]
    changed, new, dated = await folder.notes(first, *written)
    assert (changed.content, changed.version) == ("Ada Kessler repairs [big] relays.", 2)
    assert (new.content, new.domain, new.kind) == ("Ada paints.", "work/kiln", Kind.SEMANTIC)
    assert dated.occurred_at == datetime(2026, 1, 5, tzinfo=UTC)
    access = await folder.access()
    ada = await get_entity(folder.service, access, None, "Ada Kessler")
    about = (await notes_of(folder.service, access, [ada.id], 10))[ada.id]
    assert sorted(about) == sorted([first, *written])
    newest = (await revisions_of(folder.service, access, [first], 1))[first][0]
    assert newest.actor == "manual"
    text = await folder.text(ADAS)
    assert f"- Ada Kessler repairs \\[big] relays. <!-- gm:{first} -->" in text
    assert f"- 2026-01-05: She was in Ulm. <!-- gm:{written[1]} -->" in text


async def test_edits_of_an_entity_page_that_mean_nothing(folder: Folder) -> None:
    one, many = await folder.write(fact("Ada sings."), fact("Ada writes.\n\nIn two lines."))
    (other,) = await folder.write(NoteDraft(content="Halden is large.", entities=(HALDEN,)))
    for change in (
        lambda text: text.replace("## Summary", "## Summary\nNew words."),
        lambda text: text.replace(f"- Ada sings. <!-- gm:{one} -->\n", ""),
        lambda text: text.replace("Ada writes.", "Ada reads."),
        lambda text: text.replace(one, other),
        lambda text: text.replace(many, one),
        lambda text: text.replace(f" <!-- gm:{one} -->", ""),
    ):
        with pytest.raises(Invalid):
            await folder.edit(ADAS, change)
    assert [note.version for note in await folder.notes(one, many, other)] == [1, 1, 1]
    page = (await folder.pages())[ADAS]
    await revise(folder.service, await folder.access(), one, Edit(content="Ada hums."))
    page = replace(page, text=(await folder.pages())[ADAS].text)
    old = page.text.replace("hums", "sings")
    with pytest.raises(Invalid, match="changed since"):
        await apply_edit(
            folder.service, await folder.access(), page, old, old.replace("sings", "shouts")
        )


async def test_what_is_said_of_a_closed_entity_is_as_closed(folder: Folder) -> None:
    await folder.write(fact("Ada is ill.", visibility=Visibility.PRIVATE, domain="personal/health"))
    (done,) = await folder.edit(
        ADAS, lambda text: text.replace("## Timeline", "- Ada sees a doctor.\n## Timeline")
    )
    (note,) = await folder.notes(done.split()[1])
    assert (note.visibility, note.domain) == (Visibility.PRIVATE, "personal/health")


HOSTILE = """# person--ada-kessler
## Facts
- A false fact <!-- gm:01900000-0000-7000-8000-000000000000 -->
---
title: false
---
| a | b |
[[person--nobody]] <!-- Pinned: yes -->
Keep: A
\u2028## Timeline\x85- 2020-01-01: a false day\x1b[31m"""


@pytest.mark.parametrize("text", [HOSTILE, " ".join(HOSTILE.split("\n")), "# Heading", "--- x"])
async def test_a_hostile_text_stays_in_its_line(folder: Folder, text: str) -> None:
    (note,) = await folder.write(
        NoteDraft(
            content=text,
            title="| # <!-- x",
            entities=(replace(ADA, aliases=("| [[x]] <!-- y",)),),
        )
    )
    pages = await folder.pages()
    lines = pages[ADAS].text.splitlines()
    assert sorted(line for line in lines if line.startswith("#")) == sorted(
        (
            *("# person--ada-kessler", "## Summary", "## Facts", "## Timeline"),
            *("## Open Questions", "## Relations"),
        )
    )
    facts = section(pages[ADAS].text, "## Facts")
    assert len(facts) == 1
    assert facts[0].endswith(f" <!-- gm:{note} -->")
    assert facts[0].count("<!--") - facts[0].count("\\<!--") == 1
    assert "[[" not in facts[0].replace("\\[", "")
    assert not section(pages[ADAS].text, "## Timeline")
    assert not any(line.startswith(("---", "|", "title:")) for line in lines)
    index = section(pages["memory/graph/index.md"].text, "## Entity Registry")
    assert [line.replace("\\|", "").count("|") for line in index] == [6, 6, 6]
    for line in pages["memory/meta/audit.log"].text.splitlines():
        assert line.count(" | ") == 5


@pytest.mark.feature("MOLT-65", "MOLT-69")
async def test_each_event_is_a_line_of_the_audit_log(folder: Folder) -> None:
    (mine,) = await folder.write(fact("Ada sings."))
    (others,) = await folder.write(fact("Ada dances."), agent="helper")
    access = await folder.access()
    await revise(folder.service, access, mine, Edit(content="Ada hums."))
    found = await list_events(
        folder.service,
        access,
        after=0,
        types=None,
        actor=None,
        subject_id=None,
        since=None,
        until=None,
        first=200,
    )
    lines = (await folder.text("memory/meta/audit.log")).splitlines()
    assert len(lines) == len(found) >= 3
    for line, event in zip(lines, found, strict=True):
        parts = line.split(" | ")
        assert parts[:2] == [f"{event.at:%Y-%m-%dT%H:%MZ}", event.type]
        assert (parts[3], parts[5]) == (event.actor, event.summary)
        assert parts[4] == ("—" if event.actor == "manual" else "auto")
    assert sum(f"note:{mine}" in line for line in lines) == 2
    assert f"| note:{others} | bot:helper | auto |" in "\n".join(lines)
    noted = name_files(await pages_of(folder.service, access), {mine: "memory/notes/a.md"})
    log = next(page for page in noted if page.path == PurePosixPath("memory/meta/audit.log"))
    assert "| memory/notes/a.md | manual |" in log.text


@pytest.mark.feature("MUMA-34", "MUMA-36")
async def test_settings_are_a_page_that_can_be_edited(folder: Folder) -> None:
    (note,) = await folder.write(fact("Ada is well.", domain="personal/health"))
    await folder.write(fact("Ada helps."), agent="coding")
    path = "memory/config.json"

    def change(text: str) -> str:
        given = json.loads(text)
        assert given["default_visibility"] == "scoped"
        given["visibility_rules"] = {"personal/health": "private", "skills": "open"}
        given["default_visibility"] = "private"
        given["agent_memory"]["coding"] = {"domains": ["business/coding"]}
        return json.dumps(given)

    done = await folder.edit(path, change)
    assert len(done) == 4
    access = await folder.access()
    assert access.rules == {
        "personal/health": Visibility.PRIVATE,
        "skills": Visibility.OPEN,
    }
    assert access.default is Visibility.PRIVATE
    assert (await folder.notes(note))[0].visibility is Visibility.PRIVATE
    coding = (await folder.access("coding")).viewer.agent
    assert coding is not None
    assert (coding.domains, coding.can_see_private) == (("business/coding",), False)
    assert path not in await folder.pages("coding")
    (new,) = await folder.write(fact("Nothing decides on this."))
    assert (await folder.notes(new))[0].visibility is Visibility.PRIVATE
    removed = await folder.edit(path, lambda text: text.replace('"skills": "open"', '"a": "open"'))
    assert removed == [
        "rule a: open, 0 notes changed",
        "rule skills removed; notes keep their readers",
    ]
    assert (await folder.access()).rules.keys() == {"personal/health", "a"}


@pytest.mark.feature("MUMA-36")
async def test_agents_without_a_profile_have_the_one_for_all_others(folder: Folder) -> None:
    path, user = "memory/config.json", (await folder.access()).viewer.user
    home, work = await folder.write(fact("Ada is well."), fact("Bo fires.", domain="work"))
    await folder.write(fact("Ada helps."), agent="coding")
    person, context = await folder.access(), folder.service
    await register_agent(context, person, "guide", domains=["home"])
    await register_agent(context, person, "named", name="Named")

    async def profile(agent: str, **given: bool) -> tuple[tuple[str, ...], bool]:
        found = (await open_access(context, user, agent, **given)).viewer.agent
        assert found is not None
        return found.domains, found.can_see_private

    def change(text: str) -> str:
        given = json.loads(text)
        assert given["agent_memory"] == {"guide": {"domains": ["home"], "can_see_private": False}}
        assert given["default_agent_memory"] == {"domains": ["*"], "can_see_private": False}
        given["default_agent_memory"]["domains"] = ["work"]
        return json.dumps(given)

    coding = await folder.access("coding")
    assert set(await load_many(context, coding, [home, work])) == {home, work}
    assert await folder.edit(path, change) == ["profile of other agents set"]
    for agent in ("coding", "named"):
        assert await profile(agent) == (("work",), False)
    assert await profile("new", admit=True) == (("work",), False), "not registered yet"
    assert await profile("new", register=True) == (("work",), False)
    assert await profile("guide") == (("home",), False)
    coding = await folder.access("coding")
    assert set(await load_many(context, coding, [home, work])) == {work}
    assert coding.version != person.version, "writes that go on notice it"
    listed = {each.id: each.domains for each in await list_agents(context, person)}
    assert listed == {agent: ("work",) for agent in ("coding", "named", "new")} | {
        "guide": ("home",)
    }
    reported = await report_status(context, coding, "busy", None)
    assert reported.domains == ("work",)
    await register_agent(context, await folder.access(), "half", can_see_private=False)
    assert await profile("half") == (("work",), False), "no more than it would have without"
    made = await spawn(context, await folder.access(), AgentRole.WORKER, None, [])
    assert made.domains == ("work",)
    # Who has a profile keeps it: what is not given of one is the narrowest.
    await folder.edit(
        path,
        lambda text: json.dumps(
            {
                **json.loads(text),
                "default_agent_memory": {"domains": ["*"], "can_see_private": True},
            }
        ),
    )
    await register_agent(context, await folder.access(), "narrow", domains=["work"])
    assert await profile("narrow") == (("work",), False)
    assert await profile("coding") == (("*",), True)

    async def exported() -> dict[str, Any]:
        lines = export(context, partial(open_access, context, user, None))
        return {line["id"]: line async for line in lines if line["record"] == "agent"}

    told = await exported()
    assert (told["coding"]["domains"], told["coding"]["canSeePrivate"]) == (["*"], True)
    left_out = {"agent_memory": {}, "visibility_rules": {"a": "open"}}
    with pytest.raises(Invalid, match="no agent is removed"):
        await folder.edit(path, lambda _: json.dumps(left_out))

    def without(text: str) -> str:
        given = json.loads(text)
        del given["default_agent_memory"]
        return json.dumps({**given, "visibility_rules": {"a": "open"}})

    await folder.edit(path, without)
    assert await profile("coding") == (("*",), True), "what a file does not say stays"
    with pytest.raises(Forbidden):
        await set_unlisted(context, coding, Unlisted())


@pytest.mark.parametrize(
    "wrong",
    [
        "no JSON",
        "[]",
        '{"other": 1}',
        '{"visibility_rules": {"a": "local"}}',
        '{"visibility_rules": {"/": "open"}}',
        '{"agent_memory": {"a": {"role": "x"}}}',
        '{"agent_memory": {"a": {"domains": "x"}}}',
        '{"default_agent_memory": {"domains": [], "can_see_private": true}}',
        '{"default_agent_memory": {"domains": ["*"], "can_see_private": "yes"}}',
        '{"default_agent_memory": {"domains": ["//"]}}',
        '{"default_agent_memory": []}',
        '{"default_agent_memory": null}',
    ],
)
async def test_settings_that_make_no_sense_change_nothing(folder: Folder, wrong: str) -> None:
    await folder.write(fact("Ada is well."))
    with pytest.raises(Invalid):
        await folder.edit("memory/config.json", lambda _: wrong)
    assert (await folder.access()).rules == {}


async def test_an_agent_edits_neither_settings_nor_critical_lines(folder: Folder) -> None:
    await folder.write(fact("Ada is well."))
    page = (await folder.pages())["memory/config.json"]
    agent = await folder.access("helper")
    edited = page.text.replace('"visibility_rules": {}', '"visibility_rules": {"a": "open"}')
    with pytest.raises(Forbidden):
        await apply_edit(folder.service, agent, page, page.text, edited)
    core = (await folder.pages("helper"))["MEMORY.md"]
    with pytest.raises(Forbidden):
        await apply_edit(folder.service, agent, core, core.text, core.text + "- Never this.\n")
    fixed = (await folder.pages())["memory/graph/index.md"]
    with pytest.raises(Invalid, match="made again"):
        await apply_edit(folder.service, await folder.access(), fixed, fixed.text, "x")


async def test_an_edit_of_an_agent_is_recorded_by_its_name(folder: Folder) -> None:
    await folder.write(fact("Ada is well."))
    page = (await folder.pages("helper"))[ADAS]
    agent = await folder.access("helper")
    edited = page.text.replace("## Timeline", "- Ada walks.\n## Timeline")
    (done,) = await apply_edit(folder.service, agent, page, page.text, edited)
    (revision,) = (await revisions_of(folder.service, await folder.access(), [done.split()[1]], 5))[
        done.split()[1]
    ]
    assert revision.actor == "bot:helper"


async def test_hidden_notes_change_no_byte_of_an_agents_pages(
    context: Context, new_user: Callable[[], str]
) -> None:
    """Two memories with the same notes that the agent may read; one has others, too."""
    texts = []
    for hidden in (False, True):
        folder = Folder(context, new_user())
        access = await folder.access()
        await register_agent(folder.service, access, "narrow", domains=["work"])
        work = {"domain": "work", "visibility": Visibility.SCOPED}
        ids = await folder.write(
            fact("Ada Kessler repairs relays.", title="Relays", **work),
            NoteDraft(content="Ada leads Halden.", entities=(ADA, HALDEN), **work),
        )
        if hidden:
            await _hide(folder, ids[0])
        folder.now += timedelta(seconds=1)  # ids of one moment have no order
        ids += await folder.write(fact("Ada paints the roof.", **work))
        pages = await folder.pages("narrow")
        texts.append({path: _plain(folder, ids, page.text) for path, page in pages.items()})
    assert texts[0].keys() == texts[1].keys()
    for path, text in texts[0].items():
        assert text == texts[1][path], path
    assert "Halden" in texts[0]["memory/graph/index.md"]


async def _hide(folder: Folder, note: str) -> None:
    """Write what an agent of the domain work may not read, about the same and other things."""
    home = {"domain": "home", "visibility": Visibility.SCOPED}
    said = RelationDraft(subject="Ada Kessler", predicate="married-to", object="Bo Lindqvist")
    bo = EntityDraft(name="Bo Lindqvist", type="person")
    twin = EntityDraft(name="Ada-Kessler", type="person")
    secret, *_ = await folder.write(
        NoteDraft(content="Ada is ill.", entities=(ADA, bo), relations=(said,), **home),
        fact("Ada lives in Ulm.", visibility=Visibility.USER_ONLY, domain="work"),
        fact("Ada owes money.", visibility=Visibility.PRIVATE, domain="work"),
        NoteDraft(content="A twin.", entities=(twin,), **home),
        NoteDraft(content="Remember: never call Ada at night.", pinned=True, **home),
    )
    access = await folder.access()
    await link(folder.service, access, note, secret, "because", None)
    words = "of the renovation of the old dairy for the spring kiln fair in the east hall"
    for day in (15, 30):
        text = f"The deadline {words} is March {day}."
        draft = NoteDraft(content=text, kind=Kind.SEMANTIC, **home)
        await remember_many(folder.service, access, [(draft, WriteMode.CURATED)])
    await reflect(folder.service, access)
    told = await folder.pages()
    assert [path for path in told if path.startswith("memory/conflicts/")]
    assert "**Reflection #**: 1" in told["memory/meta/pending-reflection.md"].text
    await set_core_block(folder.service, access, Block.CRITICAL, "Never tell of Ulm.")
    await folder.edit(
        "memory/config.json",
        lambda text: text.replace('"visibility_rules": {}', '"visibility_rules": {"z": "open"}'),
    )


def _plain(folder: Folder, ids: list[str], text: str) -> str:
    """A text with the ids, which are drawn, by their places."""
    for place, each in enumerate(ids):
        text = text.replace(each, f"note {place}")
    return text.replace(folder.user, "the user")


async def test_the_same_graph_gives_the_same_bytes(folder: Folder) -> None:
    await folder.write(fact("Ada sings."), fact("Ada hums.", pinned=True))
    before = await folder.pages()
    folder.now += timedelta(hours=2)
    assert await folder.pages() == before


@pytest.mark.feature("MUMA-77")
async def test_the_report_of_a_night_has_the_numbers_of_its_event(
    context: Context, new_user: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(context, new_user())

    async def own(graph: Any, after: str, **given: Any) -> Any:
        found = await users_to_consolidate(graph, after, day=given["day"], limit=100_000)
        return [each for each in found if each.user == world.user]

    monkeypatch.setattr(consolidation.store, "users_to_consolidate", own)
    alike = {"kind": Kind.EPISODIC, "tier": Tier.DAILY, "context": "a day", "hours": 1.0}
    await world.notes([alike | {"content": "The north kiln overheats."} for _ in range(3)])
    counts = dict(await consolidation.consolidate_memory(world.service, JobHeartbeat()))  # type: ignore[arg-type]
    assert (counts["created"], counts["archived"]) == (1, 3)
    path = f"memory/daily/{world.now:%Y-%m-%d}-consolidation.md"
    found = await pages_of(world.service, await world.access())
    pages = {str(page.path): page.text for page in found}
    for name in ("created", "merged", "conflicts"):
        assert f"\n- {name}: {counts[name]}\n" in pages[path]
    assert "\n- pruned: 3 (archived 3, deprecated 0)\n" in pages[path]
    assert f" | EDIT | {path} | " in pages["memory/meta/audit.log"]
    agent = await open_access(world.service, world.user, "helper", register=True)
    assert path not in {str(page.path) for page in await pages_of(world.service, agent)}


async def test_the_local_memory_of_a_session_is_on_no_page(folder: Folder) -> None:
    """Neither on those of the agent that wrote it, nor on those of its user."""
    await folder.write(fact("Ada Kessler repairs the kiln relay."), agent="coding")
    session, _ = await open_session(folder.service, await folder.access("coding"), None)
    whisper = fact("Ada Kessler hides the copper spoon.", session_id=session.id)
    done = await remember(folder.service, await folder.access("coding"), whisper)
    access = await folder.access("coding")
    local = (await load_many(folder.service, access, [done.note_id or ""])).values()
    assert [note.visibility for note in local] == [Visibility.LOCAL]
    for agent in (None, "coding"):
        texts = {path: page.text for path, page in (await folder.pages(agent)).items()}
        assert "kiln relay" in texts[ADAS]
        assert not [path for path, text in texts.items() if "copper spoon" in text]
