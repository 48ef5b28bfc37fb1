"""The rules of English leave texts in other languages alone."""

from datetime import UTC, datetime

import pytest

from graphmem.domain.extraction import Extraction
from graphmem.domain.notes import Kind, NoteType
from graphmem.domain.visibility import Visibility
from graphmem.language.comparison import TextVerdict, compare, differs_in_value
from graphmem.language.comparison.texts import holds_values, is_repeated_by
from graphmem.language.extraction import extract
from graphmem.language.keywords import keywords
from graphmem.language.lasting import is_lasting
from graphmem.language.text_features import TextFeatures, features_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DENIED = [
    ("Der Ofen in der Halle ist heiß.", "Der Ofen in der Halle ist nicht heiß."),
    ("Le four de la salle est chaud.", "Le four de la salle n'est pas chaud."),
    ("窯は熱いです。", "窯は熱くないです。"),
    ("Печь в зале горячая.", "Печь в зале не горячая."),
]


def read(text: str) -> Extraction:
    return extract(text, title=None, speaker=None, occurred_at=None, now=NOW)


@pytest.mark.parametrize(("old", "new"), DENIED)
def test_what_denies_a_text_is_never_the_same(old: str, new: str) -> None:
    assert compare(old, new).verdict is TextVerdict.DIFFERENT
    assert differs_in_value(old, new)
    assert not is_repeated_by(old, new)
    assert not holds_values(old, new)


@pytest.mark.parametrize(("old", "new"), DENIED)
def test_the_same_text_is_the_same(old: str, new: str) -> None:
    assert compare(old, f" {old} ").verdict is TextVerdict.SAME
    assert not differs_in_value(old, old)
    assert is_repeated_by(new, new)
    assert holds_values(f"{new} {old}", old)


def test_words_that_english_shares_decide_no_type_domain_or_reader() -> None:
    found = read("Wir haben die Bank am Hafen von Berlin nie gesehen, aber die Party war gut.")
    assert (found.type, found.kind, found.core_block) == (NoteType.FACT, Kind.SEMANTIC, None)
    assert (found.domain, found.visibility) == (None, None)


def test_what_is_sensitive_stays_private_in_any_language() -> None:
    found = read("Ich bin bei der Therapie wegen Diabetes und nehme jeden Tag Insulin.")
    assert found.visibility is Visibility.PRIVATE
    assert found.domain == "personal/health"


def test_what_makes_a_note_less_open_counts_in_any_language() -> None:
    found = read("My wife and I argued. Der Ofen und die Halle sind nicht das und die der was wir.")
    assert found.visibility is Visibility.PRIVATE
    assert (found.domain, found.type) == (None, NoteType.FACT)


def test_keywords_are_no_function_words_of_their_language() -> None:
    assert not set(keywords("Die Häuser sind für uns und die Kinder nicht zu teuer.")) & {
        *("die", "sind", "für", "uns", "und", "nicht"),
    }
    assert keywords("倉庫の鍵は玄関の棚にあります。")[0] in ("倉庫", "玄関")


def test_features_of_other_languages_need_no_words() -> None:
    german = "Der letzte Termin war am Montag, und die Last ist schwer."
    assert features_of(german) == TextFeatures(0)
    assert features_of("鍵はどこですか？") == TextFeatures.ASKS  # noqa: RUF001
    assert features_of("Le train pour Brest est en retard.") == TextFeatures.NAMES


def test_summaries_take_no_sentence_that_nobody_can_judge() -> None:
    assert is_lasting("The kiln in hall four needs a new relay.")
    assert not is_lasting("Der Ofen in der Halle vier braucht ein neues Relais.")
