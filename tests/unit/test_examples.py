"""The example diary is whole: it parses, its references resolve and its questions make sense."""

import re
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import frontmatter
import pytest
import yaml

DIARY = Path(__file__).parents[2] / "examples" / "diary"
PROFILES = yaml.safe_load((DIARY / "profiles.yaml").read_text(encoding="utf-8"))
QUESTIONS = yaml.safe_load((DIARY / "questions.yaml").read_text(encoding="utf-8"))
USERS = [user["id"] for user in PROFILES["users"]]

FIRST, LAST = date(2026, 3, 2), date(2026, 4, 12)
REQUIRED = {"title", "domain", "tags", "occurredAt"}
OPTIONAL = {
    *("visibility", "author", "kind", "type", "episode", "speaker", "importance"),
    *("entities", "relations", "links"),
}
VISIBILITIES = {"OPEN", "SCOPED", "PRIVATE", "USER_ONLY"}
KINDS = {"EPISODIC", "SEMANTIC", "PROCEDURAL"}
TYPES = {"FACT", "PREFERENCE", "DECISION", "TASK", "EVENT", "EMOTION", "CORRECTION"}
DOMAIN = re.compile(r"[\w.@-]+(/[\w.@-]+)*")
STOP_WORDS = {
    *("a", "about", "and", "are", "at", "be", "before", "can", "do", "does", "for", "has", "i"),
    *("in", "is", "it", "its", "me", "my", "of", "on", "our", "that", "the", "to", "what", "when"),
    *("where", "which", "who", "whom"),
}


def read_notes(user: str) -> dict[str, frontmatter.Post]:
    """All notes of a user by externalId, the path below the user's folder without `.md`."""
    folder = DIARY / user
    return {
        path.relative_to(folder).with_suffix("").as_posix(): frontmatter.load(str(path))
        for path in sorted(folder.rglob("*.md"))
    }


NOTES = {user: read_notes(user) for user in USERS}
EVERY_NOTE = [(user, key) for user in USERS for key in NOTES[user]]


def named_entities(note: frontmatter.Post) -> set[str]:
    """Names and aliases of the entities that the note declares, and its title."""
    entities: list[dict[str, Any]] = note.get("entities", [])  # pyright: ignore[reportAssignmentType]
    names = {name for entity in entities for name in (entity["name"], *entity.get("aliases", []))}
    return names | {str(note["title"])}


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower())) - STOP_WORDS


def in_domain(domain: str, above: list[str]) -> bool:
    return any(d == "*" or domain == d or domain.startswith(f"{d}/") for d in above)


def test_counts():
    written = [NOTES[user][key].get("visibility") for user, key in EVERY_NOTE]
    assert sorted(path.name for path in DIARY.iterdir() if path.is_dir()) == sorted(USERS)
    assert len(USERS) == 2
    assert len(PROFILES["agents"]) == 4
    assert len(EVERY_NOTE) >= 160
    assert written.count("PRIVATE") >= 8
    assert written.count("USER_ONLY") >= 2
    assert 0.35 <= written.count(None) / len(written) <= 0.65
    with_entities = sum("entities" in NOTES[user][key] for user, key in EVERY_NOTE)
    assert with_entities / len(EVERY_NOTE) >= 0.3


def test_profiles_name_known_users_roles_and_domains():
    assert len({(agent["user"], agent["id"]) for agent in PROFILES["agents"]}) == 4
    for agent in PROFILES["agents"]:
        assert set(agent) == {"user", "id", "name", "role", "domains", "canSeePrivate"}
        assert agent["user"] in USERS
        assert agent["role"] in {"ASSISTANT", "ORCHESTRATOR", "WORKER"}
        assert isinstance(agent["canSeePrivate"], bool)
        assert all(domain == "*" or DOMAIN.fullmatch(domain) for domain in agent["domains"])
    for rule in PROFILES["rules"]:
        assert rule["user"] in USERS
        assert DOMAIN.fullmatch(rule["domain"])
        assert rule["visibility"] in VISIBILITIES


@pytest.mark.parametrize("user", USERS)
def test_titles_are_unique_so_a_mention_means_one_note(user: str):
    titles = [str(note["title"]).casefold() for note in NOTES[user].values()]
    assert sorted(set(titles)) == sorted(titles)


@pytest.mark.parametrize("user", USERS)
def test_notes_are_well_formed(user: str):
    for key, note in NOTES[user].items():
        assert REQUIRED <= set(note.keys()) <= REQUIRED | OPTIONAL, key
        assert DOMAIN.fullmatch(str(note["domain"])), key
        assert note.get("visibility", "OPEN") in VISIBILITIES, key
        assert note.get("kind", "EPISODIC") in KINDS, key
        assert note.get("type", "FACT") in TYPES, key
        assert 0 <= float(str(note.get("importance", 0.5))) <= 1, key
        tags = note["tags"]
        assert isinstance(tags, list), key
        assert tags, key
        assert all(isinstance(tag, str) for tag in tags), key
        assert 2 <= len(re.findall(r"[.?!](?=\s|$)", note.content)) <= 7, key
        assert 100 <= len(note.content) <= 700, key


@pytest.mark.parametrize("user", USERS)
def test_dates_agree_and_lie_in_the_six_weeks(user: str):
    for key, note in NOTES[user].items():
        at = note["occurredAt"]
        assert isinstance(at, datetime), key
        assert at.tzinfo == UTC, key
        assert FIRST <= at.date() <= LAST, key
        assert key.startswith(at.date().isoformat()), key
        assert note.get("episode", at.date()) == at.date(), key


@pytest.mark.parametrize("user", USERS)
def test_authors_are_agents_of_the_user_writing_in_their_domains(user: str):
    domains = {a["id"]: a["domains"] for a in PROFILES["agents"] if a["user"] == user}
    for key, note in NOTES[user].items():
        if "author" in note:
            assert in_domain(str(note["domain"]), domains[note["author"]]), key


def test_every_agent_writes_something():
    authors = {(user, NOTES[user][key].get("author")) for user, key in EVERY_NOTE}
    assert {(agent["user"], agent["id"]) for agent in PROFILES["agents"]} <= authors


@pytest.mark.parametrize("user", USERS)
def test_relations_resolve_within_the_user(user: str):
    known = set().union(*(named_entities(note) for note in NOTES[user].values()))
    for key, note in NOTES[user].items():
        relations: list[dict[str, str]] = note.get("relations", [])  # pyright: ignore[reportAssignmentType]
        for relation in relations:
            assert set(relation) == {"subject", "predicate", "object"}, key
            assert {relation["subject"], relation["object"]} <= known, key


@pytest.mark.parametrize("user", USERS)
def test_links_resolve_within_the_user(user: str):
    for key, note in NOTES[user].items():
        links: list[dict[str, str]] = note.get("links", [])  # pyright: ignore[reportAssignmentType]
        for link in links:
            assert set(link) == {"to", "kind", "reason"}, key
            assert link["to"] in NOTES[user], key
            assert link["to"] != key


@pytest.mark.parametrize("user", USERS)
def test_notes_mention_each_other_by_title(user: str):
    titles = {str(note["title"]) for note in NOTES[user].values()}
    joined = [
        key
        for key, note in NOTES[user].items()
        if any(title in note.content for title in titles - {note["title"]})
    ]
    assert len(joined) >= len(NOTES[user]) / 2


@pytest.mark.parametrize("question", QUESTIONS["questions"], ids=lambda q: q["needs"][-1])
def test_question_needs_every_hop(question: dict[str, Any]):
    hops = [NOTES[question["user"]][key] for key in question["needs"]]
    assert len(hops) in (2, 3)
    for near, far in pairwise(hops):
        assert any(name in near.content for name in named_entities(far)), far["title"]
    answer = f"{hops[-1]['title']} {hops[-1].content}"
    assert len(words(question["question"]) & words(answer)) <= 1
    assert words(question["question"]) & words(f"{hops[0]['title']} {hops[0].content}")


def test_two_agents_differ_by_a_note_that_only_one_may_read():
    case = QUESTIONS["two_agents"]
    seers, blind = (
        next(a for a in PROFILES["agents"] if (a["user"], a["id"]) == (case["user"], agent))
        for agent in case["agents"]
    )
    assert seers["canSeePrivate"]
    assert not blind["canSeePrivate"]
    notes = NOTES[case["user"]].values()
    about = [note for note in notes if "sixty days" in note.content and "Brindlow" in note.content]
    private = [note for note in about if note.get("visibility") == "PRIVATE"]
    shared = [note for note in about if in_domain(str(note["domain"]), blind["domains"])]
    assert len(private) == 1
    assert len(shared) == 1


def test_both_users_write_about_the_same_names_so_a_leak_would_show():
    texts = [" ".join(note.content for note in NOTES[user].values()) for user in USERS]
    for name in ("Brindlow & Fox", "Orla Whitfield", "Greta Lomax", "Old Dairy"):
        assert all(name in text for text in texts), name
    assert ["Ansell Lifts" in text for text in texts] == [False, True]
