"""Notes that nobody would write and anybody may send: whatever is allowed, at its edges."""

from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 50_000  # characters of a note
Given = dict[str, Any]


def _wide(word: str, size: int) -> str:
    return (word * (size // len(word) + 1))[:size]


ODD: Mapping[str, Given] = {
    "one word of 9,000 letters": {"content": "x" * 9_000},
    "one name of 9,000 letters": {"content": "We met Q" + "ux" * 4_500 + " in Lyon."},
    "one number of 9,000 digits": {"content": "It costs $" + "9" * 9_000 + " in all."},
    "one word of 9,000 letters of four bytes": {"content": "𠮷" * 9_000},
    "letters that stand for eighteen": {"content": "ﷺ" * 9_000},
    "the longest content": {"content": _wide("The kiln of Halden is hot today. ", LONGEST)},
    "the longest content without a blank": {"content": "a" * LONGEST},
    "fifty thousand lines": {"content": _wide("a\n", LONGEST)},
    "thousands of names": {"content": " ".join(f"Kim{i} Lee{i} met." for i in range(2_000))},
    "thousands of tags": {"content": " ".join(f"#tag{i}" for i in range(4_000))},
    "thousands of addresses": {"content": " ".join(f"a{i}@b{i}.org" for i in range(2_000))},
    "one address of 9,000 letters": {"content": "See https://a.org/" + "b" * 9_000},
    "one file of 9,000 letters": {"content": "Open /srv/" + "b" * 9_000 + ".py now."},
    "almost empty": {"content": "."},
    "zero width alone": {"content": "\u200b\u200d\ufeff."},
    "control characters": {"content": "".join(map(chr, [*range(1, 32), 127, *range(128, 160)]))},
    "right to left": {"content": "\u202eThe kiln\u202c \u2067של חאלדן\u2069 חם היום."},
    "combining marks": {"content": "Z" + "\u0301" * 5_000 + " is hot."},
    "emoji": {"content": "👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿" * 500},
    "planes that nobody uses": {"content": "\U0010fffd\U000e0001\ue000 \ufffe\uffff kiln"},
    "Lucene": {"content": '+kiln -(gate* OR "a~2"^9) AND [a TO z} \\ /.*/ title:* _exists_:x'},
    "Cypher": {"content": "'}) DETACH DELETE n // `x` $audiences {id: 1} UNWIND range(1, 9) AS x"},
    "JSON": {"content": '{"content": null, "a": [[[[1e999, -0.0]]]], "\\u0000": "\\ud800"}'},
    "JSON without an end": {"content": '[{"a":' * 8_000},
    "markdown": {"content": "# [[a|b]] ![](x) <script>alert(1)</script>\n---\nid: 1\n---\n" * 200},
    "many brackets": {"content": "((((((((((" * 4_000},
    "many quotes": {"content": "\"'“”‘’`" * 6_000},  # noqa: RUF001
    "many dots": {"content": "." * LONGEST},
    "many spelled letters": {"content": "a. b. " * 8_000},
    "many capitals": {"content": "Aa" * 20_000},
    "many alike": {"content": "no not never " * 3_000},
    "many dates": {"content": "on 31 February 2024 at 25:61, " * 1_500},
    "dates at the edges": {"content": "From 1 January 0001 to 31 December 9999, 99999-99-99."},
    "dates before 1970": {"content": "On 3 March 1821, and 400,000 years ago, 10^9 days ago."},
    "numbers at the edges": {"content": "-9223372036854775809 1e999 0x7fffffffffffffff NaN ∞ ½"},
    "the year 1": {"content": "It was the first year.", "occurredAt": "0001-01-03T00:00:00Z"},
    "the year 9999": {
        "content": "It will be the last year.",
        "occurredAt": "9999-12-29T23:59:59.999Z",
        "validTo": "9999-12-29T23:59:59.999Z",
    },
    "before 1970": {
        "content": "It was before time.",
        "occurredAt": "1821-03-03T00:00:00Z",
        "validFrom": "0001-01-03T00:00:00Z",
        "validTo": "1969-12-31T23:59:59Z",
    },
    "names of 1,000 letters": {
        "content": "Names.",
        "title": "T" * 500,
        "tags": [f"{i}".ljust(1_000, "t") for i in range(50)],
        "keywords": [f"{i}".ljust(1_000, "k") for i in range(50)],
        "entities": [{"name": f"{i} ".ljust(1_000, "é"), "type": "x" * 1_000} for i in range(5)],
        "episode": "e" * 255,
        "speaker": "s" * 255,
    },
    "tags of four bytes": {"content": "Tags.", "tags": ["𠮷" * 1_000], "kind": "EPISODIC"},
    "as many as there may be": {
        "content": "All of them.",
        "tags": [f"tag {i}" for i in range(50)],
        "keywords": [f"word {i}" for i in range(50)],
        "entities": [
            {"name": f"Thing {i}", "aliases": [f"Also {i} {j}" for j in range(20)]}
            for i in range(100)
        ],
        "relations": [
            {"subject": f"Thing {i}", "predicate": "p" * 1_000, "object": f"Thing {i - 1}"}
            for i in range(1, 100)
        ],
        "metadata": {"deep": [[[[[[[["x" * 10_000]]]]]]]], "": None, "n": 10**300},
    },
    "a deep domain": {"content": "Deep down.", "domain": "/".join("a" * 250)},
    "a long domain": {"content": "Far away.", "domain": "ü" * 500},
    "a domain of four bytes": {"content": "Farther.", "domain": "𠮷" * 500, "visibility": "OPEN"},
    "ids at their end": {
        "content": "Ids.",
        "externalId": "𠮷" * 255,
        "idempotencyKey": "𠮷" * 255,
        "episode": "𠮷" * 255,
    },
    "for ever": {"content": "Kept for ever.", "pinned": True, "loadBearing": True},
    "over in a second": {"content": "Gone.", "ttlSeconds": 1},
    "over in a hundred years": {"content": "Gone.", "expiresAt": "2126-03-10T12:00:00Z"},
    "what a job takes together": {
        "content": "The kiln 1 overheats.",
        "kind": "EPISODIC",
        "tags": ["q" * 1_000],
    },
}
"""What `remember` takes, by what is odd about it."""

REFUSED: Mapping[str, Given] = {
    "NUL": {"content": "a\x00b"},
    "a lone surrogate": {"content": "a\ud800b"},
    "a tag that is written out too long": {"content": "Tags.", "tags": ["ﷺ" * 1_000]},
    "a keyword that is written out too long": {"content": "Words.", "keywords": ["ﷺ" * 1_000]},
    "a name that is written out too long": {"content": "N.", "entities": [{"name": "ﷺ" * 1_000}]},
    "a title that is written out too long": {"content": "T.", "title": "ﷺ" * 500},
    "a name of 2,000 letters": {"content": "Names.", "entities": [{"name": "n" * 2_000}]},
    "a tag of 2,000 letters": {"content": "Tags.", "tags": ["t" * 2_000]},
    "before all time": {"content": "Early.", "occurredAt": "0001-01-01T00:00:00Z"},
    "after all time": {"content": "Late.", "validTo": "9999-12-31T00:00:00Z"},
    "half empty domain": {"content": "Nowhere.", "domain": "a//b"},
}
"""What `remember` refuses with a clear error."""


def odd_notes() -> Iterator[tuple[str, Given]]:
    """Each of the notes, and each of the texts as an episode and as said, too."""
    for name, given in ODD.items():
        yield name, given
        if set(given) == {"content"}:
            yield f"{name}, an episode", given | {"kind": "EPISODIC", "domain": "odd"}
