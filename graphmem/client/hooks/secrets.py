"""Secrets in what is kept of a conversation: keys, tokens and passwords are cut out."""

import re
from typing import Final

CUT: Final = "[secret cut out]"
_KEY = (
    r"(?i:api[_-]?key|secret|access[_-]?key|access[_-]?token|auth[_-]?token|password|passwd|pwd)"
    r"[A-Za-z0-9_-]{0,40}"
)
# Each begins with letters that ordinary text does not have, so that a search is linear.
_PATTERNS: Final = (
    re.compile(
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]|-(?!----(?:END|BEGIN))){0,8000}(?:-----END [A-Z ]{0,40}-----|(?=-----BEGIN))"
    ),
    re.compile(  # no end
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,-]{0,8000}"
    ),
    re.compile(r"(?i)\b(?<=bearer )[A-Za-z0-9._~+/=-]{16,4000}"),
    re.compile(r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?[A-Za-z0-9_-]{20,200}"),
    re.compile(r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,255}\b"),
    re.compile(r"\bgithub_pat_[A-Za-z0-9_]{40,255}\b"),
    re.compile(r"\bglpat-[A-Za-z0-9_-]{20,64}\b"),
    re.compile(r"\bgm_[A-Za-z0-9_-]{20,200}\b"),
    re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,250}\b"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{35}"),
    re.compile(r"\b(?:hf|npm)_[A-Za-z0-9]{30,60}\b"),
    re.compile(r"\bpypi-[A-Za-z0-9_-]{50,250}"),
    re.compile(r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}"),
    re.compile(r"(?<=://)[^\s:/@]{1,64}:[^\s:/@]{1,128}(?=@)"),  # user and password of an address
)
_NAMED: Final = re.compile(rf"""({_KEY}["']?\s{{0,3}}[:=]\s{{0,3}}["']?)([^\s"',;<>]{{8,200}})""")


def cut_secrets(text: str) -> str:
    """Replace keys, tokens, private keys and named passwords in a text.

    They are known by their form alone. What has no known form, such as a password in the middle of
    a sentence, is not found."""
    for pattern in _PATTERNS:
        text = pattern.sub(CUT, text)
    return _NAMED.sub(rf"\1{CUT}", text)
