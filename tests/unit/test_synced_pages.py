"""Pages of a synced folder as text: what is shown can be read back, and no text fakes another."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as drawn

from graphmem.domain.digests import Digest
from graphmem.domain.events import Event, approval_of
from graphmem.errors import Invalid
from graphmem.language.pages import (
    FACTS,
    QUESTIONS,
    TIMELINE,
    EdgeRow,
    EntityRow,
    EntityText,
    FactLine,
    RelationLine,
    file_of_event,
    inline_text,
    is_one_line,
    name_files_of_log,
    one_line,
    parse_choice,
    parse_facts,
    render_archive,
    render_audit_line,
    render_entity,
    render_index,
    render_relations,
    slugs_of,
)
from graphmem.language.pages.escaping import escape_text, quote_text, unescape_text
from graphmem.language.pages.words import confidence_word
from graphmem.services.syncing.pages.config import parse_config
from graphmem.services.syncing.pages.entity_edits import find_edits

NOW = datetime(2026, 2, 3, 10, 0, 59, tzinfo=UTC)
ONE, TWO = "019cd79e-4600-738f-ad83-75019e817ca7", "019cd79e-4600-738f-ad83-75019e817ca8"
ANY_TEXT = drawn.text(drawn.characters(exclude_categories=["Cs"]), max_size=80) | drawn.text(
    "\\<[`|#>- !gm:*_\n\u2028\x85\x1b\u202eA1.", max_size=40
)


def page(facts: list[FactLine], timeline: list[FactLine] | None = None, **given: Any) -> EntityText:
    usual: dict[str, Any] = {
        "slug": "person--ada",
        "type": "person",
        "created": NOW,
        "updated": NOW,
        "score": 0.954,
        "pinned": False,
        "access_count": 14,
        "summary": ["Ada (person), mentioned in 1 note."],
        "facts": facts,
        "timeline": timeline or [],
        "questions": [],
        "relations": [],
    }
    return EntityText(**usual | given)


@given(ANY_TEXT)
def test_a_line_shows_exactly_its_text(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert unescape_text(escape_text(line)) == line
    assert is_one_line(line, 500)
    assert len(escape_text(line).splitlines()) == (1 if line else 0)


@given(ANY_TEXT, ANY_TEXT)
def test_the_lines_of_a_page_are_read_back(one: str, other: str) -> None:
    facts = [
        FactLine(text=one_line(each), note=note)
        for each, note in ((one, ONE), (other, TWO))
        if one_line(each)
    ]
    day = date(2026, 2, 2)
    timeline = [replace(each, day=day) for each in facts]
    text = render_entity(page(facts, timeline))
    assert parse_facts(text) == {FACTS: facts, TIMELINE: timeline, QUESTIONS: []}
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert len(heads) == 6
    assert text.count("<!--") - text.count("\\<!--") == 2 + 2 * len(facts)


@given(ANY_TEXT)
def test_a_quotation_holds_each_line(text: str) -> None:
    lines = quote_text(text).splitlines()
    assert all(line.startswith(">") for line in lines)
    assert parse_choice("\n".join([*lines, "Keep: both"])) == "both"


@given(ANY_TEXT, ANY_TEXT)
def test_a_table_has_the_cells_that_it_was_given(label: str, predicate: str) -> None:
    row = EntityRow(slug="a--b", type=label, label=label, score=0.5, pinned=True)
    edge = EdgeRow(
        start="a--b",
        predicate=predicate,
        end=label,
        confidence=0.9,
        first_seen=NOW,
        last_accessed=NOW,
    )
    lines = render_index([row], [edge]).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    bare = [line.replace("\\\\", "").replace("\\|", "") for line in rows]
    assert [line.count("|") for line in bare] == [6, 6, 6, 7, 7, 7]
    assert len(lines) == 10
    assert "| 0.50 (pinned) |" in rows[2]
    assert "| high (0.9) | 2026-02-03 | 2026-02-03 |" in rows[5]


@pytest.mark.feature("MOLT-18")
def test_the_page_of_an_entity_has_its_form() -> None:
    said = [RelationLine(word="leads", page="project--halden", label="Halden")]
    said.append(RelationLine(word="works-at", page=None, label="A [[fake]]"))
    text = render_entity(
        page(
            [FactLine(text="Sings.", note=ONE)],
            [FactLine(text="Came.", note=TWO, day=date(2026, 1, 5))],
            relations=said,
        )
    )
    assert text == (
        "# person--ada\n"
        "<!-- Type: person | Created: 2026-02-03 | Last updated: 2026-02-03 -->\n"
        "<!-- Decay score: 0.95 | Access count: 14 | Pinned: no -->\n"
        "## Summary\nAda (person), mentioned in 1 note.\n"
        f"## Facts\n- Sings. <!-- gm:{ONE} -->\n"
        f"## Timeline\n- 2026-01-05: Came. <!-- gm:{TWO} -->\n"
        "## Open Questions\n"
        "## Relations\n- leads: [[project--halden]]\n- works-at: A \\[\\[fake]]\n"
    )


def test_what_differs_between_two_texts_of_a_page() -> None:
    base = render_entity(page([FactLine(text="One.", note=ONE), FactLine(text="Two.", note=TWO)]))
    edits = find_edits(base, base.replace("One.", "First.").replace("## Timeline", "- New.\n* \n"))
    assert [(line.note, line.text) for line in edits.changed] == [(ONE, "First.")]
    assert [(heading, line.text) for heading, line in edits.written] == [(FACTS, "New.")]
    assert edits.gone == 0
    edits = find_edits(base, base.replace(f" <!-- gm:{ONE} -->", ""))
    assert (edits.changed, edits.written, edits.gone) == ([], [], 0)  # only its mark was lost
    edits = find_edits(base, base.replace(f"- Two. <!-- gm:{TWO} -->\n", ""))
    assert (edits.changed, edits.written, edits.gone) == ([], [], 1)
    for wrong in (base.replace(TWO, ONE), base.replace(TWO, TWO.replace("8", "9"))):
        with pytest.raises(Invalid):
            find_edits(base, wrong)


def test_names_of_pages_are_distinct_and_fit_into_a_folder() -> None:
    things = [
        ("a", "Person", "Ada Kessler"),
        ("b", "person", "ADA-KESSLER"),
        ("c", "project", "../../etc/passwd"),
        ("d", "", "\U0001f525"),
        ("e", "place", "語" * 300),
        ("f", "person", "İ"),
    ]
    slugs = slugs_of(things)
    assert len({slug.casefold() for slug in slugs.values()}) == len(things)
    assert slugs["a"].startswith("person--ada-kessler-")
    assert (slugs["c"], slugs["d"]) == ("project--etc-passwd", "thing--thing")
    assert all(len(slug.encode()) < 200 for slug in slugs.values())
    assert all("/" not in slug and "." not in slug for slug in slugs.values())
    assert slugs_of(things[:1]) == {"a": "person--ada-kessler"}
    assert slugs_of(list(reversed(things))) == slugs


@pytest.mark.feature("MOLT-20")
def test_words_of_relations_are_seen_from_both_ends() -> None:
    text = render_relations({"uses": 2, "greets": 1})
    structural, temporal = text.split("## Temporal")[0], text.split("## Temporal")[1]
    for line in ("develops / developed-by", "uses / used-by", "part-of / contains"):
        assert f"\n- {line} — " in structural
    assert "\n- depends-on / required-by — 0 relations\n" in structural
    for line in ("decided-on", "supersedes / superseded-by", "preceded-by / followed-by"):
        assert f"\n- {line} — 0 relations\n" in temporal.split("##")[0]
    assert "- uses / used-by — 2 relations\n" in text
    assert text.endswith("## Own words\n- greets — 1 relation\n")


def event(**given: Any) -> Event:
    usual: dict[str, Any] = {
        "id": "e",
        "seq": 1,
        "at": NOW,
        "type": "EDIT",
        "channel": "memory_update",
        "actor": "manual",
        "subject_id": "n1",
        "domain": "work",
        "summary": "note revised",
        "data": {},
    }
    return Event(**usual | given)


@pytest.mark.feature("MOLT-69")
@pytest.mark.parametrize(
    ("told", "approval"),
    [
        ({}, "—"),
        ({"actor": "system:init"}, "—"),
        ({"actor": "bot:main"}, "auto"),
        ({"actor": "system:decay"}, "auto"),
        ({"actor": "reflection:r-012"}, "approved"),
        ({"actor": "subagent:x", "type": "PROPOSE"}, "pending"),
        ({"actor": "bot:commit-from:x", "data": {"approval": "approved"}}, "approved"),
        ({"actor": "bot:main", "type": "REJECT", "data": {"approval": "rejected"}}, "auto"),
        ({"actor": "manual", "data": {"approval": "deferred"}}, "pending"),
        ({"actor": "system:audit", "type": "ALERT"}, "—"),
    ],
)
def test_how_a_change_was_approved(told: dict[str, Any], approval: str) -> None:
    assert approval_of(event(**told)) == approval


@pytest.mark.feature("MOLT-69")
def test_a_line_of_the_audit_log() -> None:
    assert render_audit_line(event(), "MEMORY.md") == (
        "2026-02-03T10:00Z | EDIT | MEMORY.md | manual | — | note revised\n"
    )
    berlin = NOW.astimezone(timezone(timedelta(hours=1)))
    said = "a | b\n2026-01-01T00:00Z | EDIT"
    odd = event(at=berlin, summary=said, data={"sensitivity": "critical"})
    line = render_audit_line(odd, "SOUL.md")
    assert (line.count("\n"), line.count(" | ")) == (1, 5)
    assert line.startswith("2026-02-03T10:00Z | EDIT | SOUL.md | manual | — | ⚠️ CRITICAL: a / b ")


def test_the_file_that_an_event_is_about() -> None:
    files = {"n1": "SOUL.md"}
    assert file_of_event(event(), files) == "SOUL.md"
    assert file_of_event(event(), {}) == "note:n1"
    assert file_of_event(event(data={"block": "identity"}), files) == "MEMORY.md"
    assert file_of_event(event(data={"file": "USER"}), files) == "USER.md"
    assert file_of_event(event(data={"file": "moltbot.json"}), files) == "moltbot.json"
    assert file_of_event(event(type="DECAY"), files) == "memory/meta/decay-scores.json"
    assert file_of_event(event(type="PROPOSE"), files) == "memory/meta/pending-memories.md"
    assert file_of_event(event(summary="agent x set up"), files) == "memory/config.json"
    assert file_of_event(event(summary="visibility rule set"), files) == "memory/config.json"
    report = event(data={"event": "consolidation"})
    assert file_of_event(report, files) == "memory/daily/2026-02-03-consolidation.md"
    other = event(channel="knowledge_update", summary="knowledge verified")
    assert file_of_event(other, files) == "—"


@pytest.mark.feature("MOLT-75")
def test_a_digest_of_a_month() -> None:
    digest = Digest(
        critical=4,
        month="2026-01",
        mutations={"CREATE": 140, "EDIT": 2},
        files=18,
        reflections={"applied": 10, "partial": 1, "rejected": 1},
        decays={"ACTIVE → FADING": 34},
        archivals=8,
        notable={"ALERT": 1, "MERGE": 3},
        notable_days={"2026-01-15": {"ALERT": 1, "CRITICAL": 4}, "2026-01-20": {"MERGE": 3}},
    )
    text = render_archive([digest, replace(digest, month="2025-12")])
    assert text.startswith(
        "# Audit Digest — January 2026\n## Summary\n- 142 total mutations across 18 files\n"
        "  - CREATE: 140\n  - EDIT: 2\n"
        "- 12 reflection sessions (10 applied, 1 partial, 1 rejected)\n"
        "- 4 critical changes\n- 1 alerts\n"
        "- 34 decay transitions, 8 archival events\n  - ACTIVE → FADING: 34\n"
        "## Notable Events\n- 2026-01-15: 1 alerts, 4 critical changes\n- 2026-01-20: 3 merges\n"
    )
    assert "\n# Audit Digest — December 2025\n" in text
    assert "## Notable Events\n- None\n" in render_archive([replace(digest, notable_days={})])
    assert render_archive([]) == "# Audit Digest\n\nNo month is digested yet.\n"


def test_words_for_confidence_and_long_texts() -> None:
    assert [confidence_word(each) for each in (1.0, 0.9, 0.6, 0.3)] == [
        "high",
        "high",
        "medium",
        "low",
    ]
    assert inline_text("a" * 600, 500) == "a" * 500 + " \\[…]"
    assert not is_one_line("a" * 501, 500)
    assert not is_one_line("two\nlines", 500)


def test_words_of_visibilities_in_settings() -> None:
    found = parse_config('{"visibility_rules": {"a/b": "user-only", "c": "OPEN"}}')
    assert {domain: str(each) for domain, each in found.rules.items()} == {
        "a/b": "USER_ONLY",
        "c": "OPEN",
    }
    assert (found.default, found.agents) == ("SCOPED", {})


def test_the_audit_log_names_the_files_of_notes_where_they_are_known() -> None:
    log = "".join(render_audit_line(event(summary=f"note:n{i}"), f"note:n{i}") for i in (1, 2))
    named = name_files_of_log(log, {"n1": "memory/a | b.md"})
    assert named.splitlines() == [
        "2026-02-03T10:00Z | EDIT | memory/a / b.md | manual | — | note:n1",
        "2026-02-03T10:00Z | EDIT | note:n2 | manual | — | note:n2",
    ]
