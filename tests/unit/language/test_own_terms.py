"""The terms that texts in other languages have by their own rules."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken_notes import spoken

from graphmem.language.analysis import (
    analyse,
    english_terms,
    own_words,
    question_terms,
    search_terms,
)
from graphmem.language.languages import Language, language_of
from graphmem.language.own_terms import MOST_PARTS, spelled_words
from graphmem.store.keywords import one_word, words_kept


def shared(note: str, question: str) -> set[str]:
    """The terms by their own rules that a note and a question have in common."""
    kept = own_words(note, language_of(note), parts=True)
    return set(kept) & set(own_words(question, language_of(question)))


@pytest.mark.parametrize(
    ("text", "language", "terms"),
    [
        ("Die Häuser der Straße", Language.GERMAN, "haus strass"),
        ("Haeuser Strasse", Language.GERMAN, "haus strass"),
        ("die was so war", Language.GERMAN, ""),
        ("l'école d'Hélène aujourd'hui", Language.FRENCH, "ecol helen aujourd'hui"),
        ("dell’acqua", Language.ITALIAN, "acqua"),  # noqa: RUF001
        ("Ankara'da İstanbul", Language.TURKISH, "ankar istanbul"),
        ("ключами ёлки", Language.RUSSIAN, "ключ елк"),
        ("και ΚΛΕΙΔΙΆ", Language.GREEK, "κλειδ"),
        ("المفاتيح", Language.ARABIC, "مفاتيح"),
        ("והמפתחות", Language.HEBREW, "והמפתח המפתח מפתח"),
        ("चाबियाँ", Language.HINDI, "चाब"),
        ("倉庫の鍵", Language.JAPANESE, "倉庫"),
        ("データー", Language.JAPANESE, "データ デー ータ ター"),
        ("仓库的钥匙", Language.CHINESE, "仓库 库的 的钥 钥匙"),
        ("창고의", Language.KOREAN, "창고 고의"),
        ("กุญแจอยู่ที่ไหน", Language.THAI, "กุญ ญแ แจ จอ อยู่"),
        ("the kiln and 東京", Language.ENGLISH, "東京"),
        ("the kiln", Language.ENGLISH, ""),
        ("café", Language.UNKNOWN, ""),
    ],
)
def test_each_language_has_its_own_rules(text: str, language: Language, terms: str) -> None:
    assert " ".join(own_words(text, language)) == terms


def test_a_joined_word_is_found_by_its_parts_and_finds_them() -> None:
    assert shared("Der Wohnungsschlüssel ist weg und nicht da.", "Wo ist der Schlüssel?")
    assert shared("Der Schlüssel der Wohnung ist weg.", "Wo ist der Wohnungsschlüssel?")
    long = "der die das " + "donaudampfschifffahrtsgesellschaft" * 2
    assert len(own_words(long, Language.GERMAN, parts=True)) <= MOST_PARTS + 3


def test_english_texts_keep_the_terms_that_they_had() -> None:
    text = "The team's plans for the café in Zürich aren't done, said Frau Müller at 9:30."
    assert analyse(text) == search_terms(text, language_of(text)) == english_terms(text)
    assert question_terms("What did she say about the café?") == english_terms("she say about café")
    assert own_words(text) == ()


def test_a_question_without_other_words_asks_for_all_of_them() -> None:
    assert question_terms("Wer ist das?") == english_terms("Wer ist das?") != ()


@pytest.mark.parametrize("tag", spoken())
def test_questions_share_terms_with_their_answers(tag: str) -> None:
    own = spoken()[tag]
    found = [
        set(search_terms(own.notes[answer], Language(tag))) & set(analyse(question, Language(tag)))
        for question, answer in own.questions
    ]
    assert all(found)


@given(st.text(max_size=80), st.sampled_from(Language))
def test_any_text_has_terms_that_the_index_takes_as_one_word(text: str, spoken: Language) -> None:
    kept = words_kept(own_words(text, spoken, parts=True))
    for word in kept.split(" ") if kept else ():
        assert re.fullmatch(r"[^\W_]+0", word)
        assert word == word.lower()


def test_different_terms_are_different_words_of_the_index() -> None:
    terms = ["haus", "ключ", "東京", "京東", "ญแ", "चाब", "창고", "a.b", "aujourd'hui"]
    assert len(set(map(one_word, terms))) == len(terms)
    assert words_kept(()) is None


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("倉庫の鍵は玄関のコンテナ", Language.JAPANESE, "倉庫 玄関 コンテナ"),
        ("仓库的钥匙在桌子上", Language.CHINESE, "仓库 钥匙 桌子上"),
        ("चाबी और GraphQL", Language.HINDI, "चाबी GraphQL"),
        ("Die Öfen sind da", Language.GERMAN, "Die Öfen sind"),
    ],
)
def test_words_are_spelled_as_they_stand(text: str, language: Language, words: str) -> None:
    assert [word for word in spelled_words(text, language) if word != "और"] == words.split()
