"""Where one sentence of a text ends and the next one begins."""

import re

MAX_SENTENCES = 40
_BREAK = re.compile(r"(?<=[.!?…])\s+|\n+")
_LONGEST = 8  # letters of what may stand before a dot that ends no sentence, with the dot
_TITLE = re.compile(
    r"(?:^|[\s(\"'])(?:mr|mrs|ms|mx|dr|prof|rev|fr|sr|st|mt|ft|gen|col|capt|lt|sgt|hon|messrs|mme"
    r"|mlle|vs|approx|e\.g|i\.e|cf|ca)\.$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:^|[\s(\"'.])[^\W\d_a-z]\.$")  # J. Moreau, J.R. Moreau
_NUMBERED = re.compile(r"(?:^|[\s(])(?:no|nr|fig|vol|p|pp|ch|sec|art|para)\.$", re.IGNORECASE)
_SHORT = re.compile(r"(?:^|\s)(?:[ap]\.m|etc|inc|ltd|corp|co|jr|sr)\.$", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a text, at most 40 and one. The dot of a title, an initial or a number
    (Mrs. Bellini, J. Moreau, No. 5) ends none."""
    text = text.strip()
    parts: list[str] = []
    start = 0
    for found in _BREAK.finditer(text):
        if found[0].count("\n") < 2 and _goes_on(text, found.start(), found.end()):
            continue
        parts.append(text[start : found.start()])
        start = found.end()
        if len(parts) == MAX_SENTENCES:
            break
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _goes_on(text: str, end: int, begin: int) -> bool:
    """Whether the sentence goes on behind the dot at `end`, with what stands at `begin`."""
    before, after = text[max(0, end - _LONGEST) : end], text[begin : begin + 1]
    if not before.endswith("."):
        return False
    if _INITIAL.search(before):
        return after.isalpha() and before.split()[-1] != "I."
    if _NUMBERED.search(before):
        return after.isdigit()
    if _SHORT.search(before):
        return after.islower() or after.isdigit()
    return bool(_TITLE.search(before))
