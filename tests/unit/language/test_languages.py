"""Which language a text is in."""

import pytest
from spoken_notes import spoken

from graphmem.language.languages import Language, is_foreign, language_of, tag_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We fired the kiln and it is cold now.", Language.ENGLISH),
        ("Der Ofen ist heiß und die Schalen sind nicht trocken.", Language.GERMAN),
        ("Le four est chaud et les bols ne sont pas dans la salle.", Language.FRENCH),
        ("El horno está caliente y las tazas no son para la venta.", Language.SPANISH),
        ("Il forno è caldo e le tazze non sono nella sala.", Language.ITALIAN),
        ("O forno está quente e as taças não são para uma loja.", Language.PORTUGUESE),
        ("De oven is heet en de kopjes zijn niet voor het huis.", Language.DUTCH),
        ("Ugnen är varm och kopparna står inte på hyllan.", Language.SWEDISH),
        ("Ovnen er varm og koppene står ikke etter de andre.", Language.NORWEGIAN),
        ("Печь горячая, а чашки стоят на полке.", Language.RUSSIAN),  # noqa: RUF001
        ("窯は熱いです", Language.JAPANESE),
        ("ⲁⲛⲟⲕ ⲡⲉ", Language.OTHER),
        ("example.com example.com a-b", Language.UNKNOWN),
        ("Kiln glaze", Language.UNKNOWN),
        ("", Language.UNKNOWN),
    ],
)
def test_language_of_a_text(text: str, language: Language) -> None:
    assert language_of(text) is language


def test_a_foreign_word_makes_no_english_text_foreign() -> None:
    assert not is_foreign(language_of("We met Frau Zeller at the café and she said hello."))
    assert not is_foreign(language_of("Kiln 4"))
    assert is_foreign(language_of("Wir haben den Ofen und die Schalen."))


@pytest.mark.parametrize("tag", spoken())
def test_most_notes_show_their_language_and_none_another_one_for_sure(tag: str) -> None:
    found = [tag_of(text) for text in spoken()[tag].notes]
    assert set(found) <= {tag, None}
    assert found.count(tag) >= (1 if tag == "fi" else len(found) / 2)


@pytest.mark.parametrize(
    "text",
    [
        "Kiln 4",
        "no",
        "Ovnen er varm og koppene er ikke her.",  # Danish or Norwegian
        "東京",
        "Mille Aino on allerginen?",
        "",
    ],
)
def test_where_it_is_not_sure_no_tag_is_given(text: str) -> None:
    assert tag_of(text) is None
