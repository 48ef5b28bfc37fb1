"""Addresses as operators see them hold no password, whatever letters it has."""

import pytest

from graphmem.domain.described import HIDDEN, without_login


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("bolt://127.0.0.1:7687", "bolt://127.0.0.1:7687"),
        ("neo4j+s://db.example", "neo4j+s://db.example"),
        ("http://llm.example:11434/v1", "http://llm.example:11434/***"),
        ("http://llm.example/", "http://llm.example/"),
        ("https://user:word@llm.example/v1?key=abc", "https://***@llm.example/***"),
        ("bolt://neo4j:a,b c@db.example:7687", "bolt://***@db.example:7687"),
        ("bolt://neo4j:p@ss@db.example", "bolt://***@db.example"),
        ("bolt://neo4j:se/cret@db.example", HIDDEN),
        ("bolt://neo4j:se?cret@db.example", HIDDEN),
        ("https://llm.example/v1?key=abc@def", HIDDEN),
        ("my key is https://llm.example", HIDDEN),
        ("plain text", "plain text"),
    ],
)
def test_an_address_is_shown_without_login_path_and_query(given: str, shown: str) -> None:
    assert without_login(given) == shown
