"""Secrets are found by their forms, whatever is around them, and ordinary texts are left."""

import dataclasses
import email
import http
import importlib
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path

import pytest
from made_secrets import Maker, kinds

import graphmem.operations.commands as commands
import graphmem.services as services
from graphmem.client.secrets import CUT, cut_secrets, find_secrets
from graphmem.domain.fields import Special, fields_of
from graphmem.domain.notes import EntityDraft, NoteDraft, RelationDraft
from graphmem.domain.visibility import Visibility
from graphmem.domain.writing import Secrets
from graphmem.errors import Invalid
from graphmem.operations.command import Change
from graphmem.operations.commands.commons import SetSop
from graphmem.operations.commands.notes import LinkNotes
from graphmem.operations.commands.proposals import DecideProposal, ProposalChanges
from graphmem.operations.texts import KEPT, clean_command
from graphmem.services.writing.secrets import FoundSecret, redact, without_secrets

TIMES = 40
ORDINARY = (
    "The password is wrong, and the password is not on the list.",
    "My password for the bank is too short. The secret: communicate early and often.",
    "Our risk-free plan costs 3 pk-rounds; task-1234567890 is done; see PR 4821.",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b, id 018f3c5e-7b1a-7cc2-9a4e-2b6f1d0c9e8a",
    "Order 4000 1234 5678 9011 was sent on 2024-03-15 10:30; call +49 30 1234 5678 90.",
    "https://example.org/docs/AbCdEfGh1234567890/what-is-a-token?page=2#key",
    "GB is a country, DE12 was a grid, and IT99 is nothing.",
    "He said that the key is under the mat. The token is valid for one ride.",
    "InternationalizationConfigurationManagerFactoryBean is a long name.",
)


# Names, paths, calls, examples and numbers beside a word that also names secrets.
CODE = (
    "mapping = dictionary",
    '{"shipping": "express"}',
    "--grouping=department",
    "The reset pin is PA13",
    "GPIO pin = 12, and the pin is 13",
    "The typing was 2025",
    "camping: 2024",
    "opinion: 2025",
    "pinned: requests==2.31.0",
    "pwd=/home/u/project",
    "pwd: C:\\Users\\u1",
    'password = os.environ["X"]',
    'password = config["db1"], password=get_secret("X1")',
    "password = settings.db_password2",
    'password: str = "password"',
    'password = "{{ vault_pw1 }}" and PGPASSWORD=${PW1}',
    "PASSWORD=<your-password-1>, passwords: 20000",
    '{"password_changed_at":1700000000}',
    "The password is in vault/team2",
    "pk_user_id_of_the_main_table_x",
    "sk_buff_head_init_and_lock_all_queues",
    "sk-or-not-to-be-that-is-the-question and xoxo-lots-of-love-to-all",
    "https://user:password@example.org and https://$USER:$TOKEN@example.org",
    "Bearer authentication-scheme, Authorization: Basic authentication",
    "secret_name = my_bucket_v2_name",
    "structure=src/components/forms/inputs/text_field",
    "AmazonRedshiftQueryEditorV2NonResourceLevelPermissions",
    "Look for '-----BEGIN RSA PRIVATE KEY-----' and read on.",
)


@pytest.mark.parametrize("text", CODE)
def test_code_is_left(text: str) -> None:
    assert cut_secrets(text) == text


def test_source_code_gives_next_to_no_alarms() -> None:
    places = [Path(each.__file__).parent for each in (json, http, email, services) if each.__file__]
    lines = [
        line
        for place in places
        for file in sorted(place.rglob("*.py"))
        for line in file.read_text("utf-8", "replace").split("\n")
    ]
    alarms = [line for line in lines if find_secrets(line)]
    assert len(lines) > 20_000
    assert len(alarms) <= len(lines) // 10_000, alarms


@pytest.mark.parametrize("kind", sorted(kinds(Maker(0))))
def test_each_kind_is_found(kind: str) -> None:
    made = kinds(Maker(len(kind)))[kind]
    missed = [
        text for text, secret in (made() for _ in range(TIMES)) if secret in cut_secrets(text)
    ]
    assert len(missed) <= TIMES // 20, missed[:3]


def test_nearly_all_kinds_are_found_nearly_always() -> None:
    made = [make() for make in kinds(Maker(7)).values() for _ in range(TIMES)]
    missed = [text for text, secret in made if secret in cut_secrets(text)]
    assert len(kinds(Maker(7))) >= 40
    assert len(missed) <= 0.02 * len(made), missed[:5]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_are_left(text: str) -> None:
    assert find_secrets(text) == []


@pytest.mark.parametrize("change", [str, str.lower])
def test_account_numbers_are_found_beside_what_looks_like_one(change: Callable[[str], str]) -> None:
    maker = Maker(9)
    for _ in range(TIMES):
        one, other = change(maker.iban()), change(maker.iban())
        assert cut_secrets(f"REF AB12 {one} {other} and {one}, {other}.") == (
            f"REF AB12 {CUT} {CUT} and {CUT}, {CUT}."
        )
    assert cut_secrets("REF AB12 DE89 3704 0044 0532 0130 00") == f"REF AB12 {CUT}"


SURE = {"AWS id", "GitHub", "Stripe", "Anthropic", "RSA key", "IBAN", "JWT", "Slack"}
NOT_SURE = {
    *("password", "password in a file", "PIN", "named key", "chance", "login in an address"),
    "card",
}


def test_what_is_sure_has_a_form_of_its_own() -> None:
    for kind in SURE | NOT_SURE:
        text, _ = kinds(Maker(4))[kind]()
        assert bool(find_secrets(text, sure=True)) == (kind in SURE), kind


def test_what_is_cut_is_not_cut_again() -> None:
    for make in kinds(Maker(3)).values():
        once = cut_secrets(make()[0])
        assert CUT in once
        assert cut_secrets(once) == once


def test_numbers_with_a_wrong_checksum_are_left() -> None:
    maker = Maker(5)
    for _ in range(TIMES):
        card = maker.card()
        wrong = card[:-1] + str((int(card[-1]) + 1) % 10)
        assert find_secrets(f"It is {wrong} today.") == []


def secret() -> str:
    return kinds(Maker(1))["GitHub"]()[1]


def everywhere(key: str) -> NoteDraft:
    return NoteDraft(
        content=f"The key is {key}.",
        title=f"Key {key}",
        tags=(key, "plain"),
        keywords=(key,),
        entities=(EntityDraft(name=key, type=key, aliases=(key,)),),
        relations=(RelationDraft(subject=key, predicate=key, object=key),),
        speaker=key,
        metadata={"a": [{"b": key}], key: 1},
    )


def test_every_text_of_a_draft_is_looked_through() -> None:
    key = secret()
    clean, found = without_secrets(everywhere(key), Secrets.REDACT)
    assert key not in repr(clean)
    assert found == (FoundSecret("GitHub token", "REDACTED"),)
    texts = {f.name for f in dataclasses.fields(NoteDraft) if "str" in str(f.type)}
    unread = {"external_id", "episode", "session_id", "idempotency_key", "external_owner", "domain"}
    assert texts - unread == {"content", "title", "tags", "keywords", "speaker"}


def test_a_secret_may_be_kept_for_the_user_alone() -> None:
    key = secret()
    kept, found = without_secrets(everywhere(key), Secrets.USER_ONLY)
    assert kept.content.count(key) == 1
    assert kept.visibility is Visibility.USER_ONLY
    assert found == (FoundSecret("GitHub token", "KEPT_FROM_AGENTS"),)
    local, found = without_secrets(everywhere(key), Secrets.USER_ONLY, local=True)
    assert key not in repr(local)
    assert found[0].action == "REDACTED"


def test_a_secret_may_be_refused_and_is_not_told() -> None:
    key = secret()
    with pytest.raises(Invalid) as told:
        without_secrets(everywhere(key), Secrets.BLOCK)
    assert "GitHub token" in told.value.message
    assert key not in told.value.message
    assert without_secrets(everywhere(key), Secrets.OFF) == (everywhere(key), ())


def test_a_key_of_metadata_says_what_its_value_is() -> None:
    value = {"user": "ann", "db_password": "tiger2lily", "more": {"api_key": "abc123def456ghi7"}}
    clean, found = redact(value, Secrets.REDACT)
    assert clean == {"user": "ann", "db_password": CUT, "more": {"api_key": CUT}}
    assert found == {"password", "key"}


def test_numbers_of_metadata_are_looked_through() -> None:
    card = 4111_1111_1111_1111
    given = {"card": card, "n": [card, 12, True, 1.5, float("nan"), 10**50, -card], "pin": 4711}
    clean, found = redact(given, Secrets.REDACT)
    assert clean["card"] == clean["n"][0] == clean["pin"] == CUT
    assert clean["n"][1:4] == [12, True, 1.5]
    assert clean["n"][5:] == [10**50, -card]
    assert found == {"card number", "PIN"}
    assert redact({"pin": 4711, "card": "x"}, Secrets.REDACT, sure=True)[1] == frozenset()
    assert redact({"password_changed_at": 1700000000}, Secrets.REDACT)[1] == frozenset()


def changes() -> list[type[Change]]:
    for module in pkgutil.iter_modules(commands.__path__):
        importlib.import_module(f"{commands.__name__}.{module.name}")
    return Change.__subclasses__()


def test_texts_of_commands_are_looked_through() -> None:
    key = secret()
    decided = DecideProposal(
        id="1",
        decision=None,
        reason=key,
        edits=ProposalChanges(content=key, tags=(key,)),  # type: ignore[arg-type]
    )
    for command in (
        SetSop(team="t", domain="d", content=f"Use {key}"),
        LinkNotes(source="1", target="2", kind="about", reason=key),
        decided,
    ):
        assert key not in repr(clean_command(command, Secrets.REDACT))
        with pytest.raises(Invalid):
            clean_command(command, Secrets.BLOCK)
        assert clean_command(command, Secrets.OFF) is command


def test_no_command_stores_a_text_that_nobody_looked_through() -> None:
    """What finds things is kept; the write path itself looks through what notes are made of."""
    own = {each.__name__ for each in changes() if each.checks_secrets}
    assert own == {"Remember", "RememberMany", "Revise", "StoreMemory"}
    kept = {
        (each.__name__, field.name)
        for each in changes()
        for field in fields_of(each)
        if field.type in (str, object) and field.name in KEPT and Special.ID not in field.marks
    }
    assert kept == {
        *(("Forget", "query"), ("PostBoard", "scope"), ("RemoveFromBoard", "scope")),
        *(("Remember", "external_id"), ("Remember", "idempotency_key")),
    }
