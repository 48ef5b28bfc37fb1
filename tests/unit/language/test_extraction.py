"""What the extractor says of a whole text: type, store, visibility, domain, what matters."""

import time
from datetime import UTC, datetime

import pytest

from graphmem.domain.extraction import MEDIUM_CONFIDENCE, Extraction, Store
from graphmem.domain.notes import Kind, NoteType
from graphmem.domain.visibility import Visibility
from graphmem.language.extraction.pipeline import extract

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)


def read(text: str, *, title: str | None = None, speaker: str | None = None) -> Extraction:
    return extract(text, title=title, speaker=speaker, occurred_at=None, now=NOW)


@pytest.mark.feature("MOLT-12")
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("DECISION", "We decided to use Postgres for the billing service."),
        ("DECISION", "The team agreed on a four day week."),
        ("DECISION", "I chose Rust over Go for the new tool."),
        ("DECISION", "Let's go with the blue logo."),
        ("DECISION", "Decision: the stand will be in hall B."),
        ("FACT", "I live in Berlin."),
        ("FACT", "Postgres listens on port 5432 by default."),
        ("FACT", "The Danube flows through ten countries."),
        ("FACT", "Ann's extension number is 4412."),
        ("PREFERENCE", "I prefer dark mode in every editor."),
        ("PREFERENCE", "The user likes short answers."),
        ("PREFERENCE", "My favourite coffee is a flat white."),
        ("PREFERENCE", "Dana hates phone calls."),
        ("PREFERENCE", "I don't like long meetings."),
        ("TASK", "Remind me to call the dentist tomorrow."),
        ("TASK", "I need to finish the slides by Friday."),
        ("TASK", "TODO: renew the certificate"),
        ("TASK", "Please send Marcus the contract."),
        ("TASK", "The report is due on 2026-04-01."),
        ("EVENT", "Yesterday we launched version 2.0."),
        ("EVENT", "I met Carol at the conference in Vienna last week."),
        ("EVENT", "The deploy failed this morning."),
        ("EVENT", "Ann visited the Oslo office on Monday."),
        ("EMOTION", "I feel really anxious about the interview."),
        ("EMOTION", "I'm so proud of the team!"),
        ("EMOTION", "We were devastated when the dog died."),
        ("EMOTION", "Ruth is frustrated with the new process."),
        ("CORRECTION", "Actually, the flight leaves at 7:40, not 8:40."),
        ("CORRECTION", "Correction: the budget is 40k."),
        ("CORRECTION", "I was wrong about the deadline, it is in May."),
        ("CORRECTION", "That's not right, her name is Anna."),
        ("CORRECTION", "No, it's on Tuesday."),
    ],
)
def test_a_sentence_of_each_type_in_several_phrasings(kind: str, text: str) -> None:
    assert read(text).type is NoteType(kind)


@pytest.mark.feature("MOLT-12")
def test_an_opening_trigger_does_not_change_the_type() -> None:
    assert read("Remember that we decided to use Postgres.").type is NoteType.DECISION
    assert read("Don't forget: I prefer tea.").type is NoteType.PREFERENCE
    assert read("Don't forget to buy tea.").type is NoteType.TASK


@pytest.mark.feature("MOLT-28")
@pytest.mark.parametrize(
    ("store", "kind", "text"),
    [
        (Store.CORE, Kind.SEMANTIC, "My name is Ada."),
        (Store.CORE, Kind.SEMANTIC, "I'm currently working on the Harbour project."),
        (Store.EPISODIC, Kind.EPISODIC, "Yesterday the deploy failed because the disk was full."),
        (Store.SEMANTIC, Kind.SEMANTIC, "Neo4j supports vector indexes since version 5."),
        (Store.PROCEDURAL, Kind.PROCEDURAL, "how I deploy: 1. run the tests 2. tag 3. push"),
        (Store.PROCEDURAL, Kind.PROCEDURAL, "To deploy, run the tests first, then tag and push."),
        (Store.VAULT, Kind.SEMANTIC, "Never forget: my blood type is AB negative."),
    ],
)
def test_a_sentence_for_each_store(store: Store, kind: Kind, text: str) -> None:
    assert (read(text).store, read(text).kind) == (store, kind)


@pytest.mark.feature("MOLT-28")
def test_the_router_gets_entities_relations_and_tags() -> None:
    found = read("Ann Lee works at Acme Corporation and uses Postgres for the billing service.")
    assert [(e.name, e.type) for e in found.entities] == [
        ("Ann Lee", "person"),
        ("Acme Corporation", "organisation"),
        ("Postgres", "tool"),
    ]
    assert [(r.subject, r.predicate, r.object) for r in found.relations] == [
        ("Ann Lee", "works-at", "Acme Corporation"),
        ("Ann Lee", "uses", "Postgres"),
    ]
    assert 3 <= len(found.tags) <= 5
    assert {"acme corporation", "postgres"} <= set(found.tags)


@pytest.mark.feature("MOLT-29")
def test_asked_for_is_high_what_was_noticed_is_medium_or_low() -> None:
    assert read("Remember that the office closes at six.").confidence >= 0.8
    assert read("Save this: the gate code changed.").confidence >= 0.8
    assert MEDIUM_CONFIDENCE <= read("Ann prefers Rust.").confidence < 0.8
    assert read("Maybe Ann prefers Rust.").confidence < MEDIUM_CONFIDENCE
    assert read("ok thanks").confidence < MEDIUM_CONFIDENCE


@pytest.mark.feature("MOLT-30")
@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("identity", "My name is Ada."),
        ("identity", "I work as a nurse at Charité."),
        ("identity", "My time zone is Europe/Berlin."),
        ("identity", "I just moved to Lisbon."),
        ("context", "I'm currently working on the Harbour project."),
        ("context", "We are waiting for the approval of the board."),
        ("critical", "I'm allergic to peanuts."),
        ("critical", "Never deploy on Fridays."),
        (None, "Pandas reads parquet files."),
        (None, "Call me tomorrow."),
        (None, "Is your name Ada? My name is what?"),
        (None, "Ann works at Acme."),
    ],
)
def test_core_memory_changes_only_with_identity_context_or_critical_facts(
    block: str | None, text: str
) -> None:
    found = read(text)
    assert found.core_block == block
    assert found.core_update is (block is not None)


@pytest.mark.feature("MUMA-19")
@pytest.mark.parametrize(
    ("visibility", "domain", "text"),
    [
        ("OPEN", "personal/location", "I live in Berlin"),
        ("OPEN", "personal/preferences", "I prefer dark mode."),
        ("OPEN", "personal/preferences", "The user prefers aisle seats on flights."),
        ("OPEN", None, "The Danube flows through ten countries."),
        ("SCOPED", "business/sales", "The Acme deal is worth $50,000 and closes in June."),
        ("SCOPED", "business/coding", "The deploy failed because the database was down."),
        ("SCOPED", "business/finance", "Our revenue grew 12 percent in Q3 2026."),
        ("SCOPED", "business/coding", "Server health is degraded since the deploy."),
        ("PRIVATE", "personal/health", "I was diagnosed with asthma last year."),
        ("PRIVATE", "personal/health", "My knee still hurts after the fall."),
        ("PRIVATE", "personal/finance", "My salary is 70k."),
        ("PRIVATE", "personal/relationships", "I'm breaking up with my girlfriend."),
        ("PRIVATE", "personal/security", "Remember that the wifi password is hunter2."),
        ("PRIVATE", "personal/beliefs", "She came out as gay last year."),
        (None, None, "Ann's extension number is 4412."),
        # One word that may mean another thing tells no domain, and opens nothing.
        ("SCOPED", None, "The code of the north gate is 4471."),
        ("SCOPED", None, "Bread for the branch on Elm Street comes at 7:40."),
        ("SCOPED", "business/coding", "The code of that service is old."),
        (None, "personal/travel", "Ann's flight to Oslo leaves at 7:40."),
    ],
)
def test_visibility_and_domain_by_content(
    visibility: str | None, domain: str | None, text: str
) -> None:
    found = read(text)
    assert found.visibility == (None if visibility is None else Visibility(visibility))
    assert found.domain == domain


@pytest.mark.feature("MUMA-19")
def test_sensitive_matters_stay_private_beside_work_and_in_the_title() -> None:
    assert read("The sprint slipped since my depression is back.").visibility is Visibility.PRIVATE
    assert read("It came back fine.", title="Blood test").visibility is Visibility.PRIVATE
    assert read("I love that my therapist uses Zoom.").visibility is Visibility.PRIVATE


@pytest.mark.feature("MUMA-18")
@pytest.mark.parametrize(
    "text",
    [
        "We decided to use Postgres for the billing service.",
        "it is what it is and that is that",
        "one two three four five six seven eight",
        "I was on the way to you and then it was off.",
        "Ann Lee works at Acme Corporation in Berlin and uses Postgres, Redis and Kafka daily.",
    ],
)
def test_three_to_seven_keywords_three_to_five_tags_one_sentence(text: str) -> None:
    found = read(text)
    assert 3 <= len(found.keywords) <= 7
    assert 3 <= len(found.tags) <= 5
    assert len(set(found.keywords)) == len(found.keywords)
    assert len(set(found.tags)) == len(found.tags)
    assert found.context == text[0].upper() + text[1:]


@pytest.mark.parametrize(
    ("memorable", "text"),
    [
        (True, "We decided to use Postgres."),
        (True, "My salary is 70k."),
        (True, "I'm allergic to peanuts."),
        (True, "The report is due on 2026-04-01."),
        (False, "ok thanks"),
        (False, "Hi!"),
        (False, "What time is it?"),
        (False, "Can you fix the bug in the parser?"),
        (False, "Water boils at 100 degrees."),
    ],
)
def test_what_is_worth_keeping_without_being_asked(memorable: bool, text: str) -> None:
    assert read(text).memorable is memorable


def test_importance_rises_with_what_is_at_stake() -> None:
    order = [
        "ok thanks",
        "The Danube flows through ten countries.",
        "We decided to use Postgres.",
        "Never forget: I'm allergic to peanuts.",
    ]
    values = [read(text).importance for text in order]
    assert values == sorted(values)
    assert len(set(values)) == len(values)
    assert all(0 <= value <= 1 for value in values)


def test_amounts_have_value_and_currency() -> None:
    found = read("Globex owes $12,400, €3.2 million, 200 euros and EUR 1.250,50; room 40, 5k.")
    assert [(a.value, a.currency) for a in found.amounts] == [
        (12_400, "USD"),
        (3_200_000, "EUR"),
        (200, "EUR"),
        (1250.5, "EUR"),
    ]


@pytest.mark.parametrize("text", ["", " ", "?!", "\n", "\ud800", "🙂", "\ue000 \uf000", "1"])
def test_texts_without_words_say_nothing(text: str) -> None:
    found = read(text, speaker="Ruth")
    assert (found.entities, found.relations, found.dates) == ((), (), ())
    assert found.memorable is False


def test_the_same_text_gives_the_same_result() -> None:
    text = "Ann Lee and Bob use Postgres in Berlin since 2024; they prefer tea."
    assert read(text) == read(text)


@pytest.mark.parametrize(
    "piece",
    ["!?.,;:", "a", "Ann ", "J. ", "(", ".", " ", "\n", "Ann\n", "a@b.", "`", "1.", "my sister ",
     "works at ", "Ann and ", "not a", "first then ", "北京", "a_", "a/", "was very very ", "'"],
)  # fmt: skip
def test_the_work_is_linear_in_hostile_texts(piece: str) -> None:
    """50,000 characters take some 40 ms; what is quadratic would take many seconds."""
    text = (piece * 50_000)[:50_000]
    start = time.process_time()
    read("x" + text + "y", speaker="Ruth")
    assert time.process_time() - start < 2
