"""What counts as a word, by what it is read for; and that no other module has a tokenizer."""

import re

import pytest
from text_functions import patterns

from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.tokenizer import Tokens, token_matches, tokens_in

TEXT = "Ann's re-use of C++ (v1.2, 3rd `run_it`): rock'n'roll at 9:30. Node.js"
TOKENS = {
    Tokens.INDEX: "Ann's re use of C v1.2 3rd run_it rock'n'roll at 9 30 Node.js",
    Tokens.RUN: "Ann s re use of C v1 2 3rd run it rock n roll at 9 30 Node js",
    Tokens.PLAIN: "Ann's re use of C v1 2 3rd run it rock'n'roll at 9 30 Node js",
    Tokens.TOPIC: "Ann's re-use of C v1 2 3rd run_it rock'n'roll at 9 30 Node js",
    Tokens.QUESTION: "Ann's re use of C v1 rd run it rock'n roll at Node js",
    Tokens.KEYWORD: "Ann re-use run_it rock roll Node",
    Tokens.SPELLED: "Ann s re use of C v1 2 3rd run_it rock n roll at 9 30 Node js",
    Tokens.NAME: "Ann's re-use of C++ ( v1.2 , 3rd ` run_it ` ) : rock'n'roll at 9 : 30 . Node.js",
    Tokens.NAME_PART: "Ann's re use of C++ v1.2 3rd run it rock'n'roll at 9 30. Node.js",
    Tokens.PHRASE: "Ann's re-use of C v1 2 , 3rd run_it rock'n'roll at 9 30 Node js",
    Tokens.IDENTIFIER: "Ann's re-use of C++ v1.2 3rd run_it rock'n'roll at 9:30 Node.js",
    Tokens.STATEMENT: "Ann's re-use of C + + ( v1.2 , 3rd `run_it` ) : rock'n'roll at 9:30 Node.js",
}


@pytest.mark.parametrize("kind", Tokens)
def test_a_text_is_cut_by_what_it_is_read_for(kind: Tokens) -> None:
    assert tokens_in(TEXT, kind) == TOKENS[kind].split()
    assert [match[0] for match in token_matches(TEXT, kind)] == TOKENS[kind].split()


def test_the_quick_pattern_of_the_index_is_no_other() -> None:
    assert tokens_in(f"{TEXT} é", Tokens.INDEX) == [*tokens_in(TEXT, Tokens.INDEX), "é"]


def test_no_other_module_of_the_language_cuts_texts_into_words() -> None:
    texts = ("Ann has three cats", "we rent boats there")
    cutting = {
        place.rpartition(".")[0]
        for place, pattern in patterns().items()
        if place.startswith("graphmem.language.")
        and all([m[0] for m in re.finditer(pattern, text)] == text.split() for text in texts)
    }
    # Of a sentence one word is looked at, of others all that stands between blanks, and what is
    # a word already is split where its letters change.
    others = ("sentences", "extraction.literals", "naming.forms", "anonymisation")
    allowed = {f"graphmem.language.{other}" for other in others}
    assert cutting - allowed == {"graphmem.language.tokenizer"}


def test_each_list_of_stop_words_has_its_name() -> None:
    assert set(STOP_WORDS) == {
        "index",
        "questions",
        "names",
        "sentences",
        "query expansion",
        "topics",
        "keywords",
        "decisions",
        "never names",
    }
    assert not any("<" in word for words in STOP_WORDS.values() for word in words)
    assert STOP_WORDS["index"] - {"but", "if", "not", "such"} <= STOP_WORDS["topics"]
