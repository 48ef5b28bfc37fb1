"""What a writer may give for a note."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from graphmem.domain.drafts import check_draft, check_instant, check_share, check_tags, check_text
from graphmem.domain.notes import MAX_NAME, MAX_TAGS, EntityDraft, NoteDraft, RelationDraft
from graphmem.errors import Invalid

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
EARLIER = NOW - timedelta(days=1)


def checked(**given: Any) -> NoteDraft:
    return check_draft(NoteDraft(**({"content": "text"} | given)), NOW)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"content": ""}, "content"),
        ({"content": " \n\t "}, "content"),
        ({"content": "x" * 50_001}, "content"),
        ({"content": "a\x00b"}, "content"),
        ({"content": "a\ud800b"}, "content"),
        ({"content": "a\udfff"}, "content"),
        ({"title": ""}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": "\ufdfa" * 300}, "title"),  # 18 letters each
        ({"entities": (EntityDraft(name="\ufdfa" * 300),)}, "entity name"),
        ({"entities": (EntityDraft(name="Bo", aliases=("\ufdfa" * 300,)),)}, "aliases"),
        (
            {"relations": (RelationDraft(subject="\ufdfa" * 300, predicate="has", object="Bo"),)},
            "subject",
        ),
        (
            {"relations": (RelationDraft(subject="Bo", predicate="has", object="\ufdfa" * 300),)},
            "object",
        ),
        ({"external_id": " "}, "externalId"),
        ({"external_id": "x" * 256}, "externalId"),
        ({"idempotency_key": "\x00"}, "idempotencyKey"),
        ({"episode": ""}, "episode"),
        ({"speaker": "\udc00"}, "speaker"),
        ({"importance": 1.5}, "importance"),
        ({"importance": -0.1}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"confidence": float("inf")}, "confidence"),
        ({"domain": "a//b"}, "domain"),
        ({"tags": ("",)}, "tags"),
        ({"tags": ("x" * (MAX_NAME + 1),)}, "tags"),
        ({"tags": tuple(map(str, range(MAX_TAGS + 1)))}, "tags"),
        ({"keywords": tuple(map(str, range(51)))}, "keywords"),
        ({"entities": tuple(EntityDraft(name=str(i)) for i in range(101))}, "entities"),
        ({"relations": (RelationDraft(subject="a", predicate="p", object="b"),) * 101}, "relation"),
        ({"entities": (EntityDraft(name=" "),)}, "entity name"),
        ({"entities": (EntityDraft(name="a", aliases=("\x00",)),)}, "aliases"),
        ({"relations": (RelationDraft(subject="", predicate="p", object="b"),)}, "subject"),
        (
            {"relations": (RelationDraft(subject="a", predicate="p", object="b", confidence=2),)},
            "confidence",
        ),
        ({"valid_from": NOW, "valid_to": EARLIER}, "validTo"),
        ({"expires_at": NOW}, "expiresAt"),
        ({"expires_at": NOW + timedelta(1), "ttl_seconds": 5}, "not both"),
        ({"ttl_seconds": 0}, "ttlSeconds"),
        ({"ttl_seconds": -1}, "ttlSeconds"),
        ({"ttl_seconds": 4 * 10**9}, "ttlSeconds"),
        ({"occurred_at": datetime(1, 1, 1, tzinfo=UTC)}, "occurredAt"),
        ({"occurred_at": datetime.max.replace(tzinfo=UTC)}, "occurredAt"),
        ({"metadata": float("nan")}, "metadata"),
        ({"metadata": {"a": object()}}, "metadata"),
        ({"metadata": "x" * 20_000}, "metadata"),
        ({"session_id": "a/b"}, "sessionId"),
    ],
)
def test_what_is_refused_names_the_field(given: dict[str, Any], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        checked(**given)


def test_what_is_kept_is_in_normal_form() -> None:
    draft = checked(
        content=" cafe\u0301 ",
        tags=(" a ", "b", "a"),
        entities=(EntityDraft(name=" Ann "),),
        relations=(RelationDraft(subject=" A ", predicate=" likes ", object="B"),),
        ttl_seconds=60,
        metadata={"a": [1, None]},
    )
    assert draft.content == " caf\u00e9 "
    assert draft.tags == ("a", "b")
    assert draft.entities[0].name == "Ann"
    assert (draft.relations[0].subject, draft.relations[0].predicate) == ("A", "likes")
    assert draft.expires_at == NOW + timedelta(seconds=60)
    assert draft.ttl_seconds is None
    assert draft.metadata == {"a": [1, None]}


def test_the_longest_that_is_allowed() -> None:
    draft = checked(content="x" * 50_000, title="t" * 500, tags=tuple(map(str, range(50))))
    assert (len(draft.content), len(draft.title or ""), len(draft.tags)) == (50_000, 500, 50)
    assert checked(importance=0, confidence=1).importance == 0


def test_instants_are_utc_to_the_millisecond() -> None:
    east = timezone(timedelta(hours=2))
    given = datetime(2026, 3, 1, 12, 0, 0, 123999, tzinfo=east)
    assert check_instant(given, "at") == datetime(2026, 3, 1, 10, 0, 0, 123000, tzinfo=UTC)
    assert check_instant(datetime(2026, 3, 1), "at") == datetime(2026, 3, 1, tzinfo=UTC)  # noqa: DTZ001
    assert check_instant(None, "at") is None
    with pytest.raises(Invalid, match="out of range"):
        check_instant(datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12))), "at")


def test_an_empty_text_may_be_allowed() -> None:
    assert check_text("", "reason", 10, empty=True) == ""
    with pytest.raises(Invalid):
        check_text("", "reason", 10)


def test_shares_and_tags() -> None:
    assert check_share(None, "x") is None
    assert check_share(1, "x") == 1
    assert check_tags([]) == ()
