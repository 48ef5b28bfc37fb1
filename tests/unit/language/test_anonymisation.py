"""What tells of a person is taken out of a text, and what may do so is told."""

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from graphmem.domain.notes import EntityDraft
from graphmem.language.anonymisation import anonymised, is_in_doubt, tells_of, visible
from graphmem.language.extraction import extract


def read(text: str) -> Iterable[EntityDraft]:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    return extract(text, title=None, speaker=None, occurred_at=None, now=now).entities


@pytest.mark.feature("MUMA-83")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Alice's client Acme pays.", "[person]'s client Acme pays."),
        ("Ask Bob Marsh, then Marsh's office.", "Ask [person], then [person]'s office."),
        ("Ask carla or CARLA.", "Ask [person] or [person]."),
        ("Call +49 170 1234567.", "Call [number]."),
        ("Call (030) 123-4567 first.", "Call [number] first."),
        ("Mail a.b@example.org, please.", "Mail [address], please."),
        ("See https://example.org/a?b=1", "See [address]"),
        ("It is at 12 Rose Street.", "It is at [address]."),
        ("It is in Lindenstraße 5b.", "It is in [address]."),
        ("The server is 10.0.0.12.", "The server is [address]."),
        ("Order AB-12345 is late.", "Order [id] is late."),
        ("Write to @carla_m.", "Write to [id]."),
        ("It cost 120,000 euros.", "It cost [number] euros."),
        ("Key 019a0000-0000-7000-8000-000000000000!", "Key [id]!"),
        ("Call 0 1 7 1 2 3 4 5 6 7.", "Call [number]."),
        ("Mail carla@localhost.", "Mail [address]."),
        ("Look (link=https://carla.example.org/x).", "Look ([address])."),
        ("99.9% in 30 days by March 15, 2026.", "99.9% in 30 days by March 15, 2026."),
        ("HTTP/2 and RFC9110 hold.", "HTTP/2 and RFC9110 hold."),
    ],
)
def test_what_tells_of_a_person_goes(text: str, told: str) -> None:
    assert anonymised(text, read, ["carla"]) == told
    assert tells_of(told, read, ["carla"]) is None
    if told != text:
        assert tells_of(text, read, ["carla"]) in ("person", "address", "number", "id")


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("I prefer tea.", True),
        ("Ask my sister.", True),
        ("Kestrel pays on Fridays.", True),
        ("Invoices are paid within 30 days.", False),
        ("[person] pays within 30 days.", False),
        ("Neo4j holds the graph.", False),
    ],
)
def test_a_text_that_may_tell_of_somebody_is_in_doubt(text: str, doubt: bool) -> None:
    assert is_in_doubt(text, read) is doubt


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("Bart the Potter", "Tell Bart the kiln is hot.", "Tell [person] the kiln is hot."),
        ("bart the potter", "Ask Bart the Potter for the key.", "Ask [person] for the key."),
        ("Will Smith", "Ask Smith, or will.", "Ask [person], or [person]."),
        ("will smith", "Ask Smith, or Will.", "Ask [person], or [person]."),
    ],
)
def test_a_small_word_of_a_name_tells_of_nobody(name: str, text: str, told: str) -> None:
    assert anonymised(text, lambda _: (), [name]) == told


def test_what_nobody_sees_hides_no_name() -> None:
    assert visible("Ask ca\u200brl\u2060a.\n\tNow.") == "Ask carla.\n\tNow."
