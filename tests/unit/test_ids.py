"""Ids, domains and the form under which names are compared."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.ids import check_domain, check_id, digest, is_within, name_key, uuid7
from graphmem.errors import Invalid

NOW = datetime(2026, 3, 10, 12, 0, 0, 123000, tzinfo=UTC)


def test_a_uuid7_holds_its_time_version_and_variant() -> None:
    value = UUID(uuid7(NOW))
    assert value.version == 7
    assert value.variant == "specified in RFC 4122"
    assert value.int >> 80 == int(NOW.timestamp() * 1000)


def test_uuids_differ_and_sort_by_time() -> None:
    made = [uuid7(NOW + timedelta(milliseconds=i)) for i in range(200)]
    assert made == sorted(made)
    assert len({uuid7(NOW) for _ in range(2000)}) == 2000


@pytest.mark.parametrize("text", ["a", "7", "main", "jürgen", "用户", "a.b_c@d-e", "_x", "-9", "ß"])
def test_ids_that_are_fine(text: str) -> None:
    assert check_id(text, "id") == text
    assert check_domain(f"{text}/{text}") == f"{text}/{text}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a b",
        "a/b",
        "..",
        ".",
        "-",
        "_",
        "a\n",
        "\x00",
        "a\x00",
        "a'b",
        'a"',
        "a{b}",
        "a:b",
        "~",
        "a*",
        "\ud800",
        "a" * 201,
        "a`b",
        "a\\b",
        "é" * 201,
    ],
)
def test_ids_with_odd_characters(text: str) -> None:
    with pytest.raises(Invalid, match="user id"):
        check_id(text, "user id")


def test_ids_are_composed() -> None:
    assert check_id("cafe\u0301", "id") == "caf\u00e9"
    assert check_domain("cafe\u0301/x") == "caf\u00e9/x"


@pytest.mark.parametrize(
    "text",
    ["", "/", "/a", "a/", "a//b", "../x", "a/../b", "a/./b", "a b", "a/ b", "a\n", "x" * 501, "*"],
)
def test_domains_that_are_refused(text: str) -> None:
    with pytest.raises(Invalid, match="domain"):
        check_domain(text)


def test_within_goes_by_whole_parts() -> None:
    assert is_within("a/b/c", "a/b")
    assert is_within("a", "a")
    assert not is_within("a/bc", "a/b")
    assert not is_within("a", "a/b")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Acme Corp.", "acme corp"),
        ("  ACME   corp ", "acme corp"),
        ("ACME Corporation", "acme corp"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("Zürich", "zurich"),
        ("Bär", "bär"),  # short words keep their accents
        ("パリ", "パリ"),
        ("GPT4", "gpt 4"),
        ("GPT-4", "gpt 4"),
        ("GPT-4o", "gpt 4 o"),
        ("U.S.A.", "usa"),
        ("U.S.", "u s"),
        ("J. R. R. Tolkien", "jrr tolkien"),
        ("Johnson & Johnson", "johnson and johnson"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("C++17", "c++ 17"),
        ("Level -1", "level -1"),
        ("-1 - 2", "-1 2"),
        ("a+b", "a b"),
        ("item#3", "item 3"),
        ("Disney+", "disney+"),
        ("state-of-the_art", "state of the art"),
        ("\ufb01ne", "fine"),  # a ligature
        ("B\u00e4r4", "b\u00e4r 4"),  # as "Bär 4"
        ("B\u00e4ren4", "baren 4"),
        ("aaa\u00e0\U000118e0", "aaaa \U000118e0"),  # a digit of another script
        ("...", ""),
    ],
)
def test_name_keys(name: str, key: str) -> None:
    assert name_key(name) == key


@given(st.text())
def test_a_name_key_is_its_own_key(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


def test_digests_take_any_text() -> None:
    assert digest("a") == "ca978112ca1bbdcafac231b39a23dc4d"
    assert len(digest("a", 8)) == 8
    assert digest("\ud800") != digest("\ud801")
