"""Decides which sentences state something of lasting value.

That is a fact, a decision, a plan, a preference or a change that also somebody who was not there
understands. Questions, answers to what was just said, talk to somebody, praise, captions and
markup are left out."""

import re
from typing import Final

from graphmem.language.languages import are_in_english
from graphmem.language.lexicon import CUE_PHRASES

FEWEST, MOST = 3, 40  # words
_ANSWERS: Final = re.compile(  # its beginning depends on the sentence before
    r"\A\W*(?:wow|oh|yeah|yes|yep|no|nope|so|well|and|but|or|that|this|it|its|these|those|they|there"
    r"|here|glad|thanks|thank|sounds|great|hope|good|nice|right|let|just|like|because|also|maybe|how"
    r"|what|who|why|when|where|which|sure|ok|okay|cool|awesome|such|please|don['’]?t|is|are|was|were|do"  # noqa: RUF001
    r"|does|did|can|could|would|should|will|feel free|got it|speaking of)\b",
    re.IGNORECASE,
)
_ADDRESSES: Final = re.compile(
    r"\b(?:you|your|yours|yourself|ya|y['’]all|mate|let me know|we (?:talked|discussed|agreed))\b",  # noqa: RUF001
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"[\[\]{}*=$^`|<>#~]|https?:|:\Z")
_PRAISES: Final = re.compile(
    r"\b(?:amazing|awesome|great|wonderful|inspir\w+|grateful|thankful|proud|lucky|beautiful|special"
    r"|happy|glad|super|feel\w*|felt)\b",
    re.IGNORECASE,
)


def is_lasting(text: str) -> bool:
    """Check whether a sentence is worth keeping.

    One in another language is not, as its dependence on others can't be judged here."""
    words = text.count(" ") + 1
    if not FEWEST <= words <= MOST or text[-1:] in "?!" or text.endswith("..."):
        return False
    if any(
        pattern.search(text)
        for pattern in (_ANSWERS, _ADDRESSES, _MARKUP, _PRAISES, CUE_PHRASES["hedged"])
    ):
        return False
    return are_in_english(text)
