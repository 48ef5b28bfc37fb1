"""The extractor that asks spaCy for names, too; skipped where spaCy isn't installed."""

import warnings
from datetime import UTC, datetime

import pytest

from graphmem.ai.extract_spacy import MODEL
from graphmem.ai.extractor import Extractor, open_extractor
from graphmem.errors import Misconfigured
from graphmem.language.extraction.pipeline import extract

NOW = datetime(2026, 3, 4, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def spacy() -> Extractor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, at import
        pytest.importorskip(MODEL)
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


def test_auto_takes_the_model_where_it_is_installed(
    spacy: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert type(open_extractor("auto")) is type(spacy)
    monkeypatch.setattr("graphmem.ai.extract_spacy.find_spec", lambda _: None)
    assert open_extractor("auto") is extract


def test_the_rules_are_the_default() -> None:
    assert open_extractor("rules") is extract


def test_without_the_model_the_start_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("graphmem.ai.extract_spacy.import_module", missing)
    with pytest.raises(Misconfigured, match=r"graphmem\[spacy\]"):
        open_extractor("spacy")
