"""How a text is cut into the tokens of the default model, without the model."""

import pytest

from graphmem.ai.wordpieces import WordPieces

PIECES = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] un ##able able a ##a ##b e . + 日 本 to strasse ( ) 한".split()
)
CUT = WordPieces({piece: number for number, piece in enumerate(PIECES)})


def pieces(*texts: str) -> str:
    """The pieces of texts, with the marks of the model."""
    return " ".join(PIECES[number] for number in CUT.with_marks(*texts))


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", ""),
        ("unable", "un ##able"),
        ("able to", "able to"),
        ("aab", "a ##a ##b"),
        ("aac able", "[UNK] able"),
        ("UN Ä\u00e9\u0301 É", "un [UNK] e"),
        ("able.+(a)", "able . + ( a )"),
        ("日本a", "日 本 a"),
        ("a\u200bb\x00\ufffd\t\x85able\u3000to\u2028a", "a ##b able to a"),
        ("a[SEP]b [mask][MASK", "a [SEP] [UNK] [UNK] [UNK] [UNK] [UNK] [UNK]"),
        ("a" + "b" * 99, "a" + " ##b" * 99),
        ("a" + "b" * 100, "[UNK]"),
        ("\ud800 a", "a"),
    ],
)
def test_a_text_is_cut_as_by_bert(text: str, cut: str) -> None:
    assert pieces(text) == f"[CLS] {cut} [SEP]".replace("  ", " ")
    assert len(CUT.numbers(text)) == len(cut.split())


def test_two_texts_have_a_mark_between_them() -> None:
    assert pieces("a", "to e") == "[CLS] a [SEP] to e [SEP]"


def test_what_is_kept_does_not_grow_with_what_is_asked() -> None:
    for code in range(0x3000, 0x12000):
        CUT.numbers(chr(code))
    assert len(CUT._letters) < 0x2E80
