"""Which language a text is in."""

import pytest

from graphmem.language.languages import Language, is_foreign, language_of


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
        ("Ugnen är varm och kopparna står inte på hyllan.", Language.NORDIC),
        ("Ovnen er varm og koppene står ikke på hyllen.", Language.NORDIC),
        ("Печь горячая, а чашки стоят на полке.", Language.OTHER),  # noqa: RUF001
        ("窯は熱いです", Language.OTHER),
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
