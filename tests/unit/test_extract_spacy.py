"""The extractor that asks spaCy for names and relations, too."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from graphmem.ai.extract_spacy import SpacyExtractor, spacy_extractor
from graphmem.ai.extractor import Extractor, load_extractor, open_extractor
from graphmem.errors import Misconfigured
from graphmem.language.extraction import NameSpan, Word, clause_relations
from graphmem.language.extraction.pipeline import extract
from graphmem.settings import Settings

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def spacy() -> Extractor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, at import
        load_extractor("spacy")
    return open_extractor("spacy")


def test_names_that_the_rules_leave_out_are_found_and_related(spacy: Extractor) -> None:
    text = "Thandeka Winters met Marwa in Bamako. Zorblax is a friend."
    plain = extract(text, title=None, speaker=None, occurred_at=None, now=NOW)
    found = spacy(text, title=None, speaker=None, occurred_at=None, now=NOW)
    assert {e.name for e in plain.entities} <= {e.name for e in found.entities}
    assert {e.name: e.type for e in found.entities}["Thandeka Winters"] == "person"
    assert {e.name: e.type for e in plain.entities}["Thandeka Winters"] is None


def test_ordinary_words_and_days_stay_out(spacy: Extractor) -> None:
    text = "Yesterday the team met. On Monday Everyone left. He speaks German."
    assert spacy(text, title=None, speaker=None, occurred_at=None, now=NOW).entities == ()


def test_words_of_chat_and_lists_are_no_names(spacy: Extractor) -> None:
    text = "Nah, Wanna go? Awww. Tons of things. Here are Pepper and Snowy, my turtles."
    found = spacy(text, title=None, speaker=None, occurred_at=None, now=NOW).entities
    assert {entity.name for entity in found} <= {"Pepper", "Snowy"}


def test_rules_and_model_are_the_default(spacy: Extractor) -> None:
    assert Settings.model_fields["extractor"].default == "spacy"
    assert open_extractor("spacy") is spacy
    assert open_extractor("rules") is extract


def test_without_the_model_the_start_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.ai.extractor.spacy_extractor", spacy_extractor.__wrapped__)
    monkeypatch.setattr("graphmem.ai.extract_spacy.find_spec", lambda name: None)
    with pytest.raises(Misconfigured, match="set it to rules"):
        open_extractor("spacy")


STATED = (  # of each sentence the relations beyond those of the phrases
    ("Mina Okafor is the lawyer of Brightwell.", ("Mina Okafor", "lawyer-of", "Brightwell")),
    ("Brightwell's accountant is Tom Reyes.", ("Tom Reyes", "accountant-of", "Brightwell")),
    ("Our supplier, Brightwell, delivers clay to Halden.", ("Brightwell", "supplies", "Halden")),
    ("Dr. Osei treats Mara.", ("Dr. Osei", "treats", "Mara")),
    ("Ana speaks Polish and teaches at Lakeside School.", ("Ana", "works-at", "Lakeside School")),
    ("Nora Vance of Saltmarsh Pottery called me.", ("Nora Vance", "works-at", "Saltmarsh Pottery")),
    ("The Harbour app was written by Tom Reyes.", ("Tom Reyes", "develops", "Harbour")),
    # One end is a common noun.
    ("Seren designs the labels.", ("Seren", "develops", "labels")),
    ("Anneli replaced injector 4.", ("Anneli", "replaces", "injector 4")),
    ("Dara runs the till on Sundays.", ("Dara", "runs", "till")),
    ("Tom Reyes lent me his nine-frame extractor.", ("Tom Reyes", "lends", "nine-frame extractor")),
    ("The kiln is made by Brightwell.", ("Brightwell", "develops", "kiln")),
    ("There is a guesthouse in Lisbon.", ("guesthouse", "located-in", "Lisbon")),
    ("Nora Vance from Lisbon called me.", ("Nora Vance", "comes-from", "Lisbon")),
    # The verb itself, with its preposition; a thing with a number is as good as a name.
    ("Crew 2 is led by Rashid Aziz now.", ("Rashid Aziz", "leads", "crew 2")),
    ("Space 9 was rented to Tom Reyes.", ("space 9", "rented-to", "Tom Reyes")),
    ("The search indexer is written in Rust.", ("search indexer", "uses", "Rust")),
    ("Our entity is audited by Brightwell.", ("Brightwell", "audits", "entity")),
    ("Nora Vance sings in Halden.", ("Nora Vance", "sings-in", "Halden")),
    ("Tom Reyes always wants the old filters.", ("Tom Reyes", "wants", "old filters")),
    ("Propeller blade 3 has a nick.", ("propeller blade 3", "has", "nick")),
    ("Hanneke also looks after the school garden.", ("Hanneke", "looks-after", "school garden")),
    ("Space 9 belongs to Tom Reyes.", ("space 9", "belongs-to", "Tom Reyes")),
    ("Tom Reyes works as a data engineer.", ("Tom Reyes", "has-role", "data engineer")),
    # Where it is, or with whom.
    ("The winter store is in Lisbon.", ("winter store", "located-in", "Lisbon")),
    ("The insurance is with Brightwell.", ("insurance", "is-with", "Brightwell")),
    ("Tom Reyes is on the Basic plan.", ("Tom Reyes", "is-on", "Basic plan")),
    # Somebody has a role.
    ("Lisbon's councillor is Nora Vance.", ("Nora Vance", "councillor-of", "Lisbon")),
    ("Nora Vance is the owner of the DNS zones.", ("Nora Vance", "owns", "DNS zones")),
    ("Piano tuner Tom Reyes came.", ("Tom Reyes", "has-role", "piano tuner")),
    ("Torvald Nygaard is chief engineer.", ("Torvald Nygaard", "has-role", "chief engineer")),
    ("Our new captain is Sigrid Hauge.", ("Sigrid Hauge", "has-role", "new captain")),
    ("Bee inspector: Colin Hatherall.", ("Colin Hatherall", "has-role", "bee inspector")),
    ("Mina Okafor is an engineer on Halden Star.", ("Mina Okafor", "works-at", "Halden Star")),
)
NOT_STATED = (
    "Mina Okafor is not the lawyer of Brightwell.",
    "Dr. Osei might treat Mara next week.",
    "Does Brightwell supply Halden Ceramics?",
    "If Brightwell supplies Halden Ceramics, call me.",
    "Tom Reyes wants to mentor Nora Vance.",
    "Tom Reyes will mentor Nora Vance in May.",
    "Tom Reyes never met Nora Vance.",
    "Tom Reyes no longer advises Saltmarsh Pottery.",
    "Sigrid Hauge is not the captain.",
    "Tom Reyes bought eight jars.",
    "Tom Reyes waited a week.",
    "Somebody moved the jars.",
    "Nora Vance has no boat.",
    "Tom Reyes is an expert on Kafka.",
    "The Brightwell deal is in negotiation.",
    "Crew 2 will be led by Rashid Aziz.",
    "Tom Reyes bowed at the car.",
    "The winter store is not in Lisbon.",
    f"Tom Reyes {'ab' * 400}s the jars.",
)
OPENED = (  # with names whose type the model guesses
    "Halden is closing in May.",
    "Zorblax keeps the spare keys of the vault.",
    "Fennmoor is behind the salt pans.",
    "The Danube flows through ten countries.",
    "Havorna runs on Castrol MHP 154.",
    "There is a guesthouse in Kuressaare.",
    "Python was written by Guido van Rossum.",
)


def stated(extractor: Extractor, text: str, speaker: str | None = None) -> set[tuple[str, ...]]:
    found = extractor(text, title=None, speaker=speaker, occurred_at=None, now=NOW)
    names = {entity.name for entity in found.entities}
    assert all({each.subject, each.object} <= names for each in found.relations)
    return {(each.subject, each.predicate, each.object) for each in found.relations}


@pytest.mark.parametrize(("text", "relation"), STATED)
def test_clauses_state_relations(
    spacy: Extractor, text: str, relation: tuple[str, str, str]
) -> None:
    assert relation in stated(spacy, text)


@pytest.mark.parametrize("text", NOT_STATED)
def test_what_is_denied_asked_supposed_or_planned_is_no_relation(
    spacy: Extractor, text: str
) -> None:
    assert stated(spacy, text) == set()


@pytest.mark.parametrize("text", [*OPENED, *(text for text, _ in STATED), *NOT_STATED])
def test_the_model_opens_no_note_and_moves_none(spacy: Extractor, text: str) -> None:
    given = {"title": None, "speaker": None, "occurred_at": None, "now": NOW}
    found, plain = spacy(text, **given), extract(text, **given)
    assert found.visibility in (plain.visibility, None)
    assert (found.domain, found.type, found.kind) == (plain.domain, plain.type, plain.kind)


def test_who_says_i_and_whom_he_means_are_ends_of_relations(spacy: Extractor) -> None:
    assert ("Ruth Adler", "advises", "Nora Vance") in stated(
        spacy, "I mentor Nora Vance.", "Ruth Adler"
    )
    found = spacy(
        "Tom Reyes is here. He advises Saltmarsh Pottery.",
        title=None,
        speaker=None,
        occurred_at=None,
        now=NOW,
    )
    (only,) = found.relations
    assert (only.subject, only.predicate, only.object) == (
        "Tom Reyes",
        "advises",
        "Saltmarsh Pottery",
    )
    assert only.confidence < 0.9


def test_a_relation_tells_the_type_of_a_name_that_has_none(spacy: Extractor) -> None:
    text = "Nora Vance of Saltmarsh Pottery called me."
    found = spacy(text, title=None, speaker=None, occurred_at=None, now=NOW)
    assert {e.name: e.type for e in found.entities}["Saltmarsh Pottery"] == "organisation"


def test_a_name_with_a_number_is_a_thing_of_its_own(spacy: Extractor) -> None:
    text = "We replaced the Hearthkeeper 4 with Kiln 5 and 12 tiles."
    found = spacy(text, title=None, speaker=None, occurred_at=None, now=NOW)
    assert {e.name for e in found.entities} == {"Hearthkeeper 4", "Kiln 5"}


def test_a_hostile_sentence_is_read_in_linear_time(spacy: Extractor) -> None:
    long = "Tom Reyes, " * 40 + "met " + "Nora Vance and " * 40 + "Ada Mensah."
    assert len(stated(spacy, long)) <= 40


def test_the_model_keeps_no_word_of_a_text(spacy: SpacyExtractor) -> None:
    kept = spacy._model.vocab.strings  # pyright: ignore[reportPrivateUsage]
    stated(spacy, "Qzorvath Blimfen is the captain.")
    before = len(kept)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: stated(spacy, f"Wumble{i}ka Frintop{i} met Ann."), range(40)))
    assert len(kept) == before
    assert "Wumble3ka" not in kept


def test_of_a_long_note_the_model_reads_the_beginning(spacy: Extractor) -> None:
    filler = "".join(f"Some {i} tiles were stacked in the yard. " for i in range(60))
    assert stated(spacy, f"Seren designs the labels. {filler}")
    assert not stated(spacy, f"{filler}Seren designs the labels.")
    last = f"{filler}Mina Okafor works at Brightwell."
    assert ("Mina Okafor", "works-at", "Brightwell") in stated(spacy, last)  # by the rules


@pytest.mark.parametrize("kinds", [("VBZ", "conj"), ("VBN", "conj"), ("VBD", "ccomp")])
def test_clauses_within_each_other_without_an_end_state_nothing(kinds: tuple[str, str]) -> None:
    text = " ".join(["Ada", *["said"] * 2_000, "Bob"])
    names = [NameSpan(0, 3, "Ada", "person"), NameSpan(len(text) - 3, len(text), "Bob", "person")]
    words = [Word("Ada", "Ada", "NNP", "nsubj", 1, 0, 3)]
    words += [Word("said", "say", *kinds, i - 1, 5 * i - 1, 5 * i + 3) for i in range(1, 2_001)]
    words += [Word("Bob", "Bob", "NNP", "dobj", 2_000, len(text) - 3, len(text))]
    assert not [*clause_relations(text, words, names, None, None)]
