"""Which relations the extractor finds, and which statements it leaves alone."""

from datetime import UTC, datetime

import pytest

from graphmem.domain.notes import RelationDraft
from graphmem.domain.predicates import INVERSES, PREDICATES, SYMMETRIC, in_one_direction, inverse
from graphmem.language.extraction.pipeline import extract

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)
Triple = tuple[str, str, str]


def drafts(text: str, speaker: str | None = None) -> tuple[RelationDraft, ...]:
    return extract(text, title=None, speaker=speaker, occurred_at=None, now=NOW).relations


def relations(text: str, speaker: str | None = None) -> list[Triple]:
    return [(r.subject, r.predicate, r.object) for r in drafts(text, speaker)]


@pytest.mark.feature("MOLT-20", "MUMA-109")
@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Olga develops Mercury.", ("Olga", "develops", "Mercury")),
        ("The Mercury app was developed by Olga.", ("Olga", "develops", "Mercury")),
        ("Grafana uses Prometheus.", ("Grafana", "uses", "Prometheus")),
        ("Prometheus is used by Grafana.", ("Grafana", "uses", "Prometheus")),
        ("Jira is part of Project Orion.", ("Jira", "part-of", "Project Orion")),
        ("Project Orion contains Jira.", ("Jira", "part-of", "Project Orion")),
        ("Kubernetes depends on etcd.", ("Kubernetes", "depends-on", "etcd")),
        ("etcd is required by Kubernetes.", ("Kubernetes", "depends-on", "etcd")),
        ("Ann decided on Postgres.", ("Ann", "decided-on", "Postgres")),
        ("Ann chose Postgres over Redis.", ("Ann", "decided-on", "Postgres")),
        ("Redis replaced Memcached.", ("Redis", "supersedes", "Memcached")),
        ("Memcached was superseded by Redis.", ("Redis", "supersedes", "Memcached")),
        ("We migrated from MySQL to Postgres.", ("Postgres", "supersedes", "MySQL")),
        ("Project Orion was preceded by Project Apollo.",
         ("Project Orion", "preceded-by", "Project Apollo")),
        ("Project Apollo was followed by Project Orion.",
         ("Project Orion", "preceded-by", "Project Apollo")),
    ],
)  # fmt: skip
def test_structural_and_temporal_pairs_are_stored_in_one_direction(
    text: str, triple: Triple
) -> None:
    assert relations(text) == [triple]


@pytest.mark.feature("MOLT-21")
@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Ms. Takahashi prefers tea over coffee.", ("Ms. Takahashi", "prefers", "tea")),
        ("Ann likes Rust.", ("Ann", "prefers", "Rust")),
        ("Ann is a big fan of Rust.", ("Ann", "prefers", "Rust")),
        ("O'Brien avoids meetings before noon.", ("O'Brien", "avoids", "meetings")),
        ("Theo doesn't like phone calls.", ("Theo", "avoids", "phone calls")),
        ("Yusuf is confident about SQL.", ("Yusuf", "confident-about", "SQL")),
        ("Yusuf is not sure about GraphQL.", ("Yusuf", "uncertain-about", "GraphQL")),
        ("Grafana is related to Prometheus.", ("Grafana", "relates-to", "Prometheus")),
    ],
)
def test_qualitative_relations(text: str, triple: Triple) -> None:
    assert relations(text) == [triple]


@pytest.mark.feature("MUMA-109")
@pytest.mark.parametrize(
    ("text", "triples"),
    [
        ("Elena Petrova works for Umbrella Inc. as an engineer.",
         [("Elena Petrova", "works-at", "Umbrella Inc")]),
        ("Tim Cook, CEO of Apple, spoke.", [("Tim Cook", "works-at", "Apple")]),
        ("The University of Oslo hired Ingrid Dahl.",
         [("Ingrid Dahl", "works-at", "University of Oslo")]),
        ("Zoë Müller and Håkon Berg live in Oslo.",
         [("Zoë Müller", "lives-in", "Oslo"), ("Håkon Berg", "lives-in", "Oslo")]),
        ("Ravi uses Blender, Unity and Figma.",
         [("Ravi", "uses", "Blender"), ("Ravi", "uses", "Unity"), ("Ravi", "uses", "Figma")]),
        ("Priya manages the Harbour project and reports to Tom Becker.",
         [("Priya", "manages", "Harbour"), ("Tom Becker", "manages", "Priya")]),
        ("José lives in Rome with his wife Inês.",
         [("José", "lives-in", "Rome"), ("Inês", "married-to", "José")]),
        ("Sofia's manager is Benjamin Clarke.", [("Benjamin Clarke", "manages", "Sofia")]),
        ("Mei is allergic to peanuts.", [("Mei", "allergic-to", "peanuts")]),
        ("Daniel has diabetes and takes metformin.", [("Daniel", "has-condition", "diabetes")]),
        ("Alice manages Bob. Bob is managed by Alice.", [("Alice", "manages", "Bob")]),
    ],
)  # fmt: skip
def test_triples(text: str, triples: list[Triple]) -> None:
    assert relations(text) == triples


@pytest.mark.parametrize(
    "text",
    [
        "Nadia no longer works at Hooli.",
        "Ann does not use Vim. Ann doesn't work at IBM. Ann never lived in Rome.",
        "Ann used to work at IBM.",
        "Leo might join Stripe. Ann will join Stripe. Ann wants to use Kafka.",
        "If Chloe joins Spotify, we need a designer.",
        "Does Ann work at Google? Who uses Kafka?",
        "I wish Ann lived in Rome.",
        "I prefer tea. My sister Clara is here.",
        "We use Postgres.",
        "Ann has time. Ann has a car.",
        "Kafka, Redis. Postgres!",
    ],
)
def test_what_is_not_plainly_said_of_a_name_is_no_relation(text: str) -> None:
    assert relations(text) == []


def test_the_first_person_is_the_speaker() -> None:
    assert relations("I prefer tea and I live in Oslo.", "Ruth") == [
        ("Ruth", "prefers", "tea"),
        ("Ruth", "lives-in", "Oslo"),
    ]
    assert relations("My sister Clara moved to Lisbon.", "Jonas") == [
        ("Clara", "lives-in", "Lisbon"),
        ("Clara", "sibling-of", "Jonas"),
    ]
    assert relations("We decided on Postgres.", "Ruth") == [("Ruth", "decided-on", "Postgres")]
    assert relations("I\u2019m allergic to nuts.", "Ruth") == [("Ruth", "allergic-to", "nuts")]


@pytest.mark.parametrize("speaker", [None, "", "user", "Assistant", "me"])
def test_a_role_is_no_speaker(speaker: str | None) -> None:
    found = extract("I prefer tea.", title=None, speaker=speaker, occurred_at=None, now=NOW)
    assert (found.entities, found.relations) == ((), ())


def test_he_and_she_are_the_one_person_named_before_with_less_confidence() -> None:
    first, second = drafts("Ann Lee prefers Rust. She lives in Oslo.")
    assert (second.subject, second.predicate, second.object) == ("Ann Lee", "lives-in", "Oslo")
    assert second.confidence < first.confidence
    assert relations("Ann met Bob. She lives in Oslo.") == []


def test_doubt_lowers_the_confidence() -> None:
    (sure,) = drafts("Ann works at Google.")
    (unsure,) = drafts("Maybe Ann works at Google.")
    assert unsure.confidence < sure.confidence


def test_both_ends_are_entities() -> None:
    found = extract(
        "I prefer dark mode, and Ann uses Vim.",
        title=None,
        speaker="Ruth",
        occurred_at=None,
        now=NOW,
    )
    names = {entity.name for entity in found.entities}
    assert {end for r in found.relations for end in (r.subject, r.object)} <= names
    assert all(relation.predicate in PREDICATES for relation in found.relations)


@pytest.mark.feature("MOLT-20")
def test_pairs_have_one_stored_spelling_and_a_word_for_the_other_end() -> None:
    assert in_one_direction("Orion", "contains", "API") == ("API", "part-of", "Orion")
    assert in_one_direction("API", "part-of", "Orion") == ("API", "part-of", "Orion")
    assert in_one_direction("a", "blogs about", "b") == ("a", "blogs about", "b")
    assert inverse("uses") == "used-by"
    assert inverse("part-of") == "contains"
    assert inverse("preceded-by") == "followed-by"
    assert inverse("married-to") == "married-to"
    assert inverse("prefers") is None
    assert not INVERSES.keys() & (PREDICATES | SYMMETRIC)


def test_somebody_who_is_spoken_to_is_no_subject() -> None:
    assert relations("Wow, John, that sounds like the perfect job for you!") == []
    assert relations("Ann, our new lead, uses Kafka.") == [("Ann", "uses", "Kafka")]
    assert relations("Ann, who uses Kafka, left.") == [("Ann", "uses", "Kafka")]


def test_in_a_long_text_both_ends_are_entities_too() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    text = " ".join(f"Ms. Xal{a}{b} works at Zor{b}{a} Inc." for a in letters[:9] for b in letters)
    found = extract(text, title=None, speaker=None, occurred_at=None, now=NOW)
    names = {entity.name for entity in found.entities}
    assert found.relations
    assert {end for r in found.relations for end in (r.subject, r.object)} <= names
