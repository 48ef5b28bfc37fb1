"""Secrets in a text: keys, tokens, passwords, card and account numbers, known by their form alone.

The one place of these forms, for hooks and for the service. Each form has a prefix, a checksum or
a name next to it, or looks like chance."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from graphmem.client.secret_checks import (
    has_long_part,
    is_card,
    is_chance,
    is_login,
    is_long_chance,
    is_password,
    is_quoted_password,
)

CUT: Final = "[secret cut out]"


@dataclass(frozen=True, order=True)
class Secret:
    """A secret in a text, between two places."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class _Form:
    """A form of secrets. `hints`: a text with none of them, in small letters, holds none; a quick
    look.

    The group `secret` of the pattern, or all of it, is the secret, if it passes the check. `sure`:
    by a prefix of its maker, a checksum or what is around it, it can be nothing else."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None
    sure: bool


_IBAN_LENGTHS: Final = {
    name: length
    for length, names in (
        (15, "NO"),
        (16, "BE BI"),
        (18, "DK FI FO GL NL"),
        (19, "MK SI"),
        (20, "AT BA EE KZ LT LU MN XK"),
        (21, "CH HR LI LV"),
        (22, "BG BH CR DE GB GE IE ME RS VA"),
        (23, "AE GI IL IQ OM SO TL"),
        (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
        (25, "LY PT ST"),
        (26, "IS TR"),
        (27, "BI DJ FR GR IT MC MR SM"),
        (28, "AL AZ BY CY DO GT HU LB NI PL SV"),
        (29, "BR EG PS QA UA"),
        (30, "JO KW MU"),
        (31, "MT SC"),
        (32, "LC"),
        (33, "RU"),
    )
    for name in names.split()
}
_IBAN: Final = re.compile(  # one may begin within what looks like another
    r"(?ai)\b(?=[A-Z]{2}\d{2}(?P<account>(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?))"
)


def _ibans(text: str) -> Iterator[Secret]:
    """Yield the account numbers, with the length of their country and a right checksum."""
    for found in _IBAN.finditer(text):
        start, most = found.start(), found.end("account")
        length, end, digits = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0), start, ""
        while end < most and len(digits) < length:
            digits += text[end].strip(" -")
            end += 1
        if length and len(digits) == length and not text[end : end + 1].isalnum():
            number = int("".join(str(int(each, 36)) for each in digits[4:] + digits[:4]))
            if number % 97 == 1:
                yield Secret(start, end, "account number")


def _form(
    kind: str,
    hints: str,
    pattern: str,
    check: Callable[[str], bool] | None = None,
    *,
    sure: bool = True,
) -> _Form:
    return _Form(kind, tuple(hints.lower().split()), re.compile(pattern), check, sure)


_NAME = (
    r"(?i:api[_-]?key|secret(?:[_-]?key)?|access[_-]?key|account[_-]?key|access[_-]?token"
    r"|auth[_-]?token|client[_-]?secret|credential|private[_-]?key)"
    r"(?:s|\d{1,3}|[A-Z_-][A-Za-z0-9_-]{0,40})?(?![A-Za-z0-9])"
)
_PASSWORD = (
    r"(?:(?<![A-Za-z0-9])(?i:password|passwd|passphrase|passwort|passcode|pwd|pgpassword)"
    r"|(?<=[a-z])Pass(?:word|phrase|code))(?:_?\d{1,3})?(?![A-Za-z0-9_])"
)
_PIN = r"\b(?i:pin)(?: code| number)?"
_IS = r"(?:\s(?:for|of|to)(?:\s[A-Za-z0-9.'-]{1,30}){1,5})?(?:\sis\snow|\sis|\swas|\s?:)\s{1,3}"
_NO_BLANK = r"[^\s\"',;<>\[\]]"
# Each begins with letters that ordinary text does not have, and has bounds, so that a search takes
# linear time.
_FORMS: Final = (
    _form(
        "private key",  # up to its end, the next one, or what is no key any more
        "PRIVATE",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----(?:END|BEGIN))){0,8000}(?:-----END [A-Z ]{0,40}-----|(?=-----BEGIN))"
        r"|(?:(?:\s|\\n){1,9}(?:[A-Za-z0-9+/=]{16,400}"
        r"|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,100})){1,400}"
        r"(?:(?:\n|\\n)[A-Za-z0-9+/=]{1,16})?)",
    ),
    _form("age key", "AGE-SECRET", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    _form(
        "bearer token",
        "bearer ",
        r"(?i)\b(?<=bearer )[A-Za-z0-9._~+/=-]{16,4000}",
        has_long_part,
        sure=False,
    ),
    _form(
        "basic login",
        "basic ",
        r"(?i)\b(?<=authorization: basic )[A-Za-z0-9+/=]{8,400}",
        is_chance,
        sure=False,
    ),
    _form("API key", "_live_ _test_", r"\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{20,200}\b"),
    _form(
        "API key",  # OpenAI, Anthropic, OpenRouter
        "sk-",
        r"\bsk-(?:proj|ant|or|svcacct|admin)-[A-Za-z0-9_-]{20,200}",
        has_long_part,
    ),
    _form(
        "API key",
        "sk- sk_ pk- pk_ rk- rk_",
        r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{20,200}",
        has_long_part,
        sure=False,
    ),
    _form("webhook secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{20,100}"),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{30,255}\b"),
    _form("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{40,255}\b"),
    _form(
        "GitLab token",
        "glpat- gldt- glrt- glptt- glagent- glcbt-",
        r"\bgl(?:pat|dt|rt|ptt|agent|cbt)-[A-Za-z0-9_-]{20,64}\b",
    ),
    _form("graphmem key", "gm_", r"\bgm_[A-Za-z0-9_-]{20,200}\b", has_long_part),
    _form("Slack token", "xox xapp-", r"\b(?:xox[abeoprs]|xapp)-\d[A-Za-z0-9-]{10,250}\b"),
    _form(
        "webhook address",
        "hooks.slack.com/ /webhooks/",
        r"(?<=://)(?:hooks\.slack\.com/services|(?:canary\.|ptb\.)?discord(?:app)?\.com/api/webhooks)"
        r"/[A-Za-z0-9/_-]{20,200}",
    ),
    _form("AWS key id", "AKIA ASIA", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    _form("Google key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}"),
    _form("Google token", "ya29. GOCSPX-", r"\b(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,400}"),
    _form("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{30,60}\b"),
    _form("npm token", "npm_", r"\bnpm_[A-Za-z0-9]{30,60}\b"),
    _form("PyPI token", "pypi-", r"\bpypi-[A-Za-z0-9_-]{50,250}", has_long_part),
    _form("RubyGems key", "rubygems_", r"\brubygems_[a-f0-9]{40,64}\b"),
    _form("SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}", is_chance),
    _form("Mailgun key", "key-", r"\bkey-[a-f0-9]{32}\b", sure=False),
    _form("Mailchimp key", "-us", r"\b[a-f0-9]{32}-us\d{1,2}\b"),
    _form("Twilio key", "SK AC", r"\b(?:SK|AC)[a-f0-9]{32}\b"),
    _form("Square token", "sq0", r"\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,64}"),
    _form("Square token", "EAAA", r"\bEAAA[A-Za-z0-9_-]{22,64}", is_chance, sure=False),
    _form("Facebook token", "EAA", r"\bEAA[A-Za-z0-9]{60,300}\b"),
    _form("Shopify token", "shp", r"\bshp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}\b"),
    _form("DigitalOcean token", "_v1_", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    _form("Telegram token", ":AA", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _form(
        "Discord token",
        ".",
        r"\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}",
        is_chance,
        sure=False,
    ),
    _form("Databricks token", "dapi", r"\bdapi[a-f0-9]{32}\b"),
    _form("Linear key", "lin_api_", r"\blin_api_[A-Za-z0-9]{32,64}\b"),
    _form("Notion token", "ntn_ secret_", r"\b(?:ntn|secret)_[A-Za-z0-9]{40,64}\b"),
    _form("Docker token", "dckr_", r"\bdckr_[po]at_[A-Za-z0-9_-]{24,64}"),
    _form("Vault token", "hvs. hvb.", r"\bhv[sb]\.[A-Za-z0-9_-]{24,300}"),
    _form("Terraform token", ".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80}"),
    _form("Grafana token", "glc_ glsa_", r"\bgl(?:c|sa)_[A-Za-z0-9_+/=-]{32,400}"),
    _form("New Relic key", "NRAK- NRJS-", r"\bNR(?:AK|JS)-[A-Za-z0-9]{19,40}\b"),
    _form("Sentry token", "sntry", r"\bsntry[su]_[A-Za-z0-9+/=_-]{40,400}"),
    _form("Postman key", "PMAK-", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    _form("PlanetScale token", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,64}"),
    _form("Supabase token", "sbp_", r"\bsbp_[a-f0-9]{40}\b"),
    _form(
        "model service key",
        "gsk_ r8_ pplx- xai- fw_ nvapi-",
        r"\b(?:gsk_|r8_|pplx-|xai-|fw_|nvapi-)[A-Za-z0-9_-]{24,120}",
        has_long_part,
        sure=False,
    ),
    _form("Firebase key", ":APA91", r"\b[A-Za-z0-9_-]{7,30}:APA91[A-Za-z0-9_-]{100,200}"),
    _form("Azure key", "AccountKey=", r"(?<=AccountKey=)[A-Za-z0-9+/]{60,90}={0,2}"),
    _form(
        "signed address",
        "sig= signature=",
        r"(?i)(?:[?&]sig|\bsignature)=(?P<secret>[A-Za-z0-9%+/_-]{30,200}={0,2})",
        is_chance,
        sure=False,
    ),
    _form("Airtable token", "pat", r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
    _form("Atlassian token", "ATATT3 ATCTT3", r"\bAT[AC]TT3[A-Za-z0-9_=-]{50,300}"),
    _form("Dropbox token", "sl.", r"\bsl\.[A-Za-z0-9_-]{60,300}", has_long_part, sure=False),
    _form("Doppler token", "dp.", r"\bdp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{30,80}", has_long_part),
    _form("Fly token", "FlyV1", r"\bFlyV1 [A-Za-z0-9_,=+/-]{40,1000}"),
    _form("Pulumi token", "pul-", r"\bpul-[a-f0-9]{40}\b"),
    _form(
        "signed token",
        "eyJ",
        r"\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}",
    ),
    _form(
        "login in an address",
        "://",
        r"(?<=://)[^\s:/@]{1,64}:[^\s:/@]{1,128}(?=@)",
        is_login,
        sure=False,
    ),
    _form(
        "card number",
        "",
        r"(?<![\d.,-])(?<!\d )\d{4}(?:[ -]?\d{2,6}){2,3}(?:[ -]?\d{1,7})?(?![\d.,-]?\d)",
        is_card,
        sure=False,  # one number of ten in the form of a card has the right last digit
    ),
    _form(
        "key",  # after its name
        "key secret token credential",
        _NAME + r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>" + _NO_BLANK + r"{8,200})",
        is_chance,
        sure=False,
    ),
    _form(
        "password",
        "pass pwd",
        _PASSWORD
        + r"(?:[\"']?\s{0,3}[:=]\s{0,3}|\s(?:is|was)\s)[\"'`](?P<secret>"
        + _NO_BLANK
        + r"{6,200})[\"'`]",
        is_quoted_password,
        sure=False,
    ),
    _form(
        "password",
        "pass pwd",
        _PASSWORD + r"\s{0,3}=\s{0,3}(?P<secret>" + _NO_BLANK + r"{6,200})(?![\[\"'<])",
        is_password,
        sure=False,
    ),
    _form(
        "password",
        "pass pwd",
        _PASSWORD + _IS + r"[\"'`“]?(?P<secret>" + _NO_BLANK + r"{3,200}" + r"[^\s\"',;<>\[\].!?])",
        is_password,
        sure=False,
    ),
    _form(
        "PIN",
        "pin",
        _PIN + r"(?:" + _IS + r"|[\"']?\s{0,3}[:=]\s{0,3}[\"']?)(?P<secret>\d{4,8})(?![\d.,]?\w)",
        sure=False,
    ),
    _form(
        "token",  # nothing but chance
        "",
        r"(?<![A-Za-z0-9_+/=.%@#-])[A-Za-z0-9_+-]{36,200}={0,2}(?![A-Za-z0-9_+/=%@-]|\.\w)",
        is_long_chance,
        sure=False,
    ),
)


def find_secrets(text: str, *, sure: bool = False) -> list[Secret]:
    """Find the secrets in a text, in their order; none is within another. `sure`: only those that
    can be nothing else.

    What has no known form, such as a password that is a word in the middle of a sentence, is not
    found."""
    found, small = [*_ibans(text)], text.lower()
    for form in _FORMS:
        if sure and not form.sure:
            continue
        if not form.hints or any(hint in small for hint in form.hints):
            found += _matches(form, text)
    kept: list[Secret] = []
    for each in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
        elif each.end > kept[-1].end:
            kept[-1] = Secret(kept[-1].start, each.end, kept[-1].kind)
    return kept


def _matches(form: _Form, text: str) -> Iterator[Secret]:
    group = "secret" if "secret" in form.pattern.groupindex else 0
    for found in form.pattern.finditer(text):
        secret = found[group]
        if secret != CUT and (form.check is None or form.check(secret)):
            yield Secret(found.start(group), found.end(group), form.kind)


def cut_secrets(text: str) -> str:
    """Replace the secrets in a text. What is cut once holds no secret any more."""
    return cut(text, find_secrets(text))


def cut(text: str, secrets: list[Secret]) -> str:
    """Replace these secrets of a text."""
    for secret in reversed(secrets):
        text = f"{text[: secret.start]}{CUT}{text[secret.end :]}"
    return text
