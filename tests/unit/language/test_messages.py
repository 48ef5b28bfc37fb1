"""What a message asks of the memory."""

from collections.abc import Callable

import pytest

from graphmem.domain.visibility import Visibility
from graphmem.language.messages.parsing import Audit, Intent, ParsedMessage, domain_of, parse

REMEMBER = (
    "remember that {}",
    "don't forget {}",
    "keep in mind {}",
    "note that {}",
    "important: {}",
    "for future reference {}",
    "save this {}",
    "FYI for later {}",
    "remember {}",
)
FORGET = (
    "forget about {}",
    "never mind about {}",
    "disregard {}",
    "that's no longer relevant: {}",
    "scratch that {}",
    "ignore what I said about {}",
    "remove from memory {}",
    "delete the memory about {}",
    "never mind {}",
    "no longer relevant {}",
    "delete memory {}",
    "remove {} from memory",
)
REFLECT = (
    "reflect on last week",
    "consolidate your memories",
    "consolidate memories",
    "review your memories",
    "review memories",
    "clean up your memory",
    "clean up memory",
)
WAYS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.capitalize,
    "Please, {}".format,
    "Hey Bot, could you please {}".format,
    "ok so, {}, thanks!".format,
    "We talked for an hour. Also, {}.".format,
    "{}...".format,
    "“{}”".format,
)


@pytest.mark.feature("MOLT-23")
@pytest.mark.feature("MOLT-25")
@pytest.mark.parametrize("way", WAYS, ids=range(len(WAYS)))
@pytest.mark.parametrize("trigger", REMEMBER)
def test_every_trigger_remembers_in_any_case_and_politely(
    trigger: str, way: Callable[[str], str]
) -> None:
    found = parse(way(trigger.format("the kiln is blue")))
    assert found.intent is Intent.REMEMBER
    assert found.subject.lower().rstrip(".") == "the kiln is blue"
    assert not found.preference
    assert not found.permanent


@pytest.mark.feature("MOLT-24")
@pytest.mark.feature("MOLT-25")
@pytest.mark.parametrize("way", WAYS, ids=range(len(WAYS)))
@pytest.mark.parametrize("trigger", FORGET)
def test_every_trigger_forgets_in_any_case_and_politely(
    trigger: str, way: Callable[[str], str]
) -> None:
    found = parse(way(trigger.format("the old kiln")))
    assert found.intent is Intent.FORGET
    assert found.subject.lower() == "old kiln"
    assert not found.permanent


@pytest.mark.feature("MOLT-26")
@pytest.mark.parametrize("way", WAYS, ids=range(len(WAYS)))
@pytest.mark.parametrize("trigger", REFLECT)
def test_every_trigger_reflects(trigger: str, way: Callable[[str], str]) -> None:
    assert parse(way(trigger)).intent is Intent.REFLECT


@pytest.mark.feature("MOLT-27")
@pytest.mark.parametrize(
    "text",
    [
        "ok thanks",
        "We decided to use Postgres",
        "I remember that day fondly.",
        "I don't remember that.",
        "I forgot my keys at the office",
        "She asked me to remember the milk",
        "Forget-me-nots are blue",
        "Save this file to disk",
        "Leave the window open",
        "Keep the door open",
        "It is important to sleep.",
        "Why is it important: to sleep?",
        "Should I keep my health information private?",
        "The memory of the computer is full",
        "Let us review the draft",
        "She has a good memory",
        "approve the invoice of Monday",
        "approve 3 invoices",
        "What changed?",
        "?",
        "...",
    ],
)
def test_plain_talk_is_no_command(text: str) -> None:
    assert parse(text) == ParsedMessage(intent=Intent.NONE)


@pytest.mark.feature("MOLT-27")
@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("What do you remember about my health goals?", "my health goals"),
        ("what do you remember about the kiln ...?", "the kiln"),
        ("So, what do you still remember of Lisbon", "Lisbon"),
        ("Can you remember what I said about tea?", "what I said about tea"),
        ("Do you remember Lisbon?", "Lisbon"),
        ("Remember when we went to Lisbon?", "when we went to Lisbon"),
        ("Tell me everything you remember about Bob, please", "Bob"),
        ("show me my memories about Bob", "Bob"),
    ],
)
def test_a_question_recalls(text: str, subject: str) -> None:
    assert parse(text) == ParsedMessage(intent=Intent.RECALL, subject=subject)


@pytest.mark.parametrize(
    ("text", "subject", "visibility"),
    [
        ("Keep my health information private", "my health information", Visibility.PRIVATE),
        ("Make my location available to all agents", "my location", Visibility.OPEN),
        ("please make my recipes visible to everyone!", "my recipes", Visibility.OPEN),
        ("Share my recipes with all my agents", "my recipes", Visibility.OPEN),
        ("Hide my diary from the other agents", "my diary", None),
        ("Hide my diary from all other agents", "my diary", Visibility.PRIVATE),
        ("Set my finances to private", "my finances", Visibility.PRIVATE),
        ("keep everything about my health confidential", "everything about my health", None),
        ("Keep my diary for me only", "my diary", Visibility.USER_ONLY),
        ("Make my diary user-only from now on", "my diary", Visibility.USER_ONLY),
        ("Keep business/sales scoped", "business/sales", Visibility.SCOPED),
    ],
)
def test_a_sentence_sets_a_visibility(
    text: str, subject: str, visibility: Visibility | None
) -> None:
    found = parse(text)
    if found.intent is Intent.NONE:
        assert "the other agents" in text
        return
    assert (found.intent, found.subject) == (Intent.VISIBILITY, subject)
    assert found.visibility is (visibility or Visibility.PRIVATE)


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        ("Show me your memory stats", Intent.STATS, ""),
        ("memory statistics", Intent.STATS, ""),
        ("How many memories do you have?", Intent.STATS, ""),
        ("Export all my memories", Intent.EXPORT, ""),
        ("export my memories as JSON", Intent.EXPORT, ""),
        ("Which of my memories are shared with business agents?", Intent.SHARED, "business agents"),
        ("Which of my memories can sales agents see?", Intent.SHARED, "sales agents"),
        ("approve", Intent.DECIDE, "approve"),
        ("Reject.", Intent.DECIDE, "Reject"),
        ("Please approve 1, 3 and 5-7, thanks!", Intent.DECIDE, "approve 1, 3 and 5-7"),
        ("approve all but 2", Intent.DECIDE, "approve all but 2"),
        ("approve reflection 12", Intent.DECIDE, "approve reflection 12"),
        (
            "approve with changes: don't archive the CSS bug",
            Intent.DECIDE,
            "approve with changes: don't archive the CSS bug",
        ),
        ("Revert my memory to yesterday", Intent.REVERT, "yesterday"),
    ],
)
def test_other_sentences_are_understood(text: str, intent: Intent, subject: str) -> None:
    assert parse(text) == ParsedMessage(intent=intent, subject=subject)


@pytest.mark.parametrize(
    ("text", "audit", "subject"),
    [
        ("What changed recently?", Audit.CHANGES, ""),
        ("What changed today?", Audit.CHANGES, "today"),
        ("What's changed since March 3?", Audit.CHANGES, "March 3"),
        ("Why did you forget about Bob?", Audit.WHY, "Bob"),
        ("What happened during the last reflection?", Audit.REFLECTION, ""),
        ("Has SOUL.md ever been changed?", Audit.FILE, "SOUL.md"),
        ("Who changed USER.md?", Audit.FILE, "USER.md"),
    ],
)
def test_questions_about_the_past_are_understood(text: str, audit: Audit, subject: str) -> None:
    assert parse(text) == ParsedMessage(intent=Intent.AUDIT, subject=subject, audit=audit)


def test_what_to_remember_is_kept_in_the_writers_spelling() -> None:
    assert parse("Remember: “Café Zoë” opens at 7 — not 8.").subject == (
        "“Café Zoë” opens at 7 — not 8."
    )
    assert parse("Remember this year we ship v2.").subject == "this year we ship v2."
    assert parse("remember that's my seat").subject == "that's my seat"
    assert parse("Remember, the code is 4711").subject == "the code is 4711"
    assert parse("Remember to call Bob, thanks!").subject == "call Bob"
    assert parse("The code is 4711, for future reference.").subject == "The code is 4711"
    assert parse("The code is 4711. Don't forget it!").subject == "The code is 4711."
    assert parse("Can you remember that I like tea?").subject == "I like tea"
    long = "Remember that " + "it rained. " * 4_000
    assert parse(long).subject == ("it rained. " * 4_000).strip()


def test_a_trigger_without_a_subject_has_none() -> None:
    for text in ("Remember that.", "remember", "Don't forget it!", "Save this"):
        assert parse(text).intent is Intent.REMEMBER
    assert parse("remember").subject == parse("Save this:").subject == ""
    for text in ("Scratch that.", "never mind", "forget it", "Forget everything."):
        assert parse(text) == ParsedMessage(intent=Intent.FORGET)
    assert parse("We meet on Friday. Scratch that.").subject == "meet on Friday"


def test_what_to_forget_is_found_among_the_words() -> None:
    for text in (
        "Forget everything about the failed project X",
        "forget what I told you about the failed project X, please",
        "Forget all the memories about that failed project X.",
        "Remove the failed project X from your memory",
        "The failed project X. That's no longer relevant.",
        "The failed project X, that is no longer relevant",
        "Also, the failed project X is no longer relevant.",
    ):
        assert parse(text) == ParsedMessage(intent=Intent.FORGET, subject="failed project X")


@pytest.mark.parametrize(
    "text",
    ["permanently delete everything about Bob", "Forget Bob for good", "forget Bob permanently"],
)
def test_permanently_destroys(text: str) -> None:
    assert parse(text) == ParsedMessage(intent=Intent.FORGET, subject="Bob", permanent=True)


@pytest.mark.parametrize(
    ("text", "preference", "permanent"),
    [
        ("Remember that I always prefer TypeScript over JavaScript", True, False),
        ("Remember: never call me before nine", True, False),
        ("remember that I'd prefer tea", True, False),
        ("remember to always use tabs", True, False),
        ("Note that the user prefers short answers", True, False),
        ("remember that she never eats nuts", False, False),
        ("remember that the server always crashes at noon", False, False),
        ("remember that Bob is preferred", False, False),
        ("Never forget that the safe is behind the picture", False, True),
        ("remember forever that the safe is open", False, True),
        ("Keep this in the vault: the code is 4711", False, True),
    ],
)
def test_preferences_and_what_is_to_be_kept_for_ever_are_told_apart(
    text: str, preference: bool, permanent: bool
) -> None:
    found = parse(text)
    assert found.intent is Intent.REMEMBER
    assert (found.preference, found.permanent) == (preference, permanent)


@pytest.mark.parametrize(
    ("subject", "known", "domain"),
    [
        ("my health information", (), "personal/health"),
        ("my health goals", ("personal/health/therapy",), "personal/health"),
        ("my location", (), "personal/location"),
        ("business agents", ("business/sales",), "business"),
        ("my sailing notes", ("personal/sailing",), "personal/sailing"),
        ("my sailing boat notes", ("hobby/sailing-boat", "a/boat"), "hobby/sailing-boat"),
        ("my health notes", ("health",), "health"),
        ("my health notes", ("health", "personal/health"), "personal/health"),
        ("business/sales", (), "business/sales"),
        ("my old shoes", ("business",), None),
        ("", (), None),
    ],
)
def test_a_subject_has_a_domain(subject: str, known: tuple[str, ...], domain: str | None) -> None:
    assert domain_of(subject, known) == domain


@pytest.mark.parametrize(
    "text",
    [
        " " * 50_000,
        "." * 50_000,
        "remember " + "a " * 25_000,
        "forget " + ", " * 25_000,
        "please " * 7_000,
        "!? " * 16_000,
        "thanks " * 7_000,
        "a, please " * 5_000,
        "-" * 2_000,
        ", " * 1_000,
        "my " * 160 + "private",
        "what do you remember " * 24,
    ],
    ids=range(12),
)
def test_long_and_odd_texts_are_read_before_the_test_times_out(text: str) -> None:
    for _ in range(20):
        assert parse(text).intent in Intent
