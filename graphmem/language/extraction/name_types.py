"""Decides the type of a name from the word lists, its own words and the words around it."""

import re
from collections.abc import Sequence
from typing import Final

from graphmem.language.extraction.tokens import Token
from graphmem.language.lexicon import (
    FIRST_NAMES,
    NAME_WORDS,
    ORGANISATIONS,
    PLACES,
    PRODUCTS,
    TOOLS,
)

TITLES: Final = NAME_WORDS["titles"]
ORGANISATION_ENDINGS: Final = NAME_WORDS["organisation endings"]
PLACE_ENDINGS: Final = NAME_WORDS["place endings"]
HEADS: Final = NAME_WORDS["beginnings"]
_PLACE_HEADS: Final = NAME_WORDS["place beginnings"]
_ORGANISATION_HEADS: Final = NAME_WORDS["organisation beginnings"]
_SPEAKING = (
    "said says told asked asks thinks thought knows knew wants wanted wrote writes loved loves "
    "liked likes prefers preferred hates avoids dislikes joined suggested agreed promised "
    "explained replied manages managed studied teaches taught married met plans planned hopes "
    "hoped decided chose chooses visited bought sold develops developed founded owns booked "
    "drinks eats speaks sings calls phoned emailed agrees insisted complained apologised admitted "
    "works_(?:at|for|with|as) worked_(?:at|for|with|as) lives_in "
    "lived_in moved_to reports_to studies_at left_for"
)
_ACTING = (
    "signed announced acquired released launched raised owes hired hires renewed cancelled "
    "confirmed requested rejected accepted published offers competes sued pays paid ordered "
    "delivers delivered merged depends_on relies_on supersedes replaced"
)
_PEOPLE = (
    "sisters? brothers? mother mom mum father dad wife husband son daughter friends? "
    "colleagues? boss manager girlfriend boyfriend partner cousin uncle aunt niece nephew "
    "teacher doctor neighbou?r roommate phone_with talked_to spoke_to asked told flatmate "
    "coworker teammate mentor named hey hi hello thanks agreed_with (?:call|meeting|lunch)_with"
)
_EMPLOYERS = (
    "works?_(?:at|for) worked_(?:at|for) working_(?:at|for) joined joins joining "
    "employed_(?:at|by) job_at intern(?:ed|ing)?_at CEO_of CTO_of CFO_of founder_of hired_by "
    "company startup employer customer client vendor supplier interview_(?:at|with) contract_with "
    "invoice_from offer_from left project_at engineer_at developer_at manager_at designer_at"
)
_WHEREABOUTS = (
    "lives?_in lived_in living_in moved_to moving_to born_in based_in fl[ey]w?_to flying_to "
    "flew_from trip_to travel(?:l?ed|l?ing)?_to visit(?:ed|ing)? (?:vacation|holiday)_in "
    "located_in grew_up_in (?:north|south|east|west)_of drove_to stay(?:ed|ing)?_in "
    "(?:city|town|village)_of arrived_in spoke_in offices?_in back_from (?:lunch|dinner)_at"
)
_USES = (
    "uses? using used written_in built_with migrated?_to deploy(?:ed)?_with coded_in "
    "program(?:ming)?_in library framework language database"
)


def _any_of(words: str) -> str:
    return "|".join(words.split()).replace("_", " ")


_BEFORE = re.compile(
    rf"\b(?:(?P<person>{_any_of(_PEOPLE)}),?|(?P<organisation>{_any_of(_EMPLOYERS)})(?: the)?"
    rf"|(?P<place>{_any_of(_WHEREABOUTS)})(?: the)?|(?P<tool>{_any_of(_USES)})) $",
    re.IGNORECASE,
)
_ROLES: Final = NAME_WORDS["roles"]
_ROLE_BEFORE = re.compile(
    r"\b(?:our|my|their|his|her|the|a|new|former)(?: [^\W\d_]{2,15})? ([^\W\d_]{3,20}),? $",
    re.IGNORECASE,
)
_ROLE_AFTER = re.compile(
    r", (?:the|our|my|their|his|her|an?)(?: [^\W\d_]{2,15}(?= [^\W\d_]))? ([^\W\d_]{3,20})\b"
)
_SAID_BY = re.compile(r"[,\"”’] (?:said|says|asked|replied|wrote|adds|added) $")  # noqa: RUF001
_CALLS = re.compile(r" (?:called|rang)\b")
_PLACED = re.compile(
    r"(?:\b(?P<before>[\w-]{1,20}) )?\b(?:[Ii]n|(?:came|comes|coming|flew|flown|back|moved|arrived|"
    r"shipped|ships|called|calls|travell?ed|drove|hails|sailed|sails|home|here) from|"
    r"reach(?:es|ed)|sail(?:s|ed)? (?:to|for)|arriv(?:es|ed) at) $"
)
_NO_PLACE: Final = frozenset(
    "bug bugs issue issues error errors crash crashes crashed written built implemented tests "
    "code function feature features version interested believe believes trust invest invested "
    "investing role character played plays star starred stars published implemented configured "
    "coded set file fails failed failing change changes stored open opened logged used change "
    "work module release memory program programmed joined engaged member members mentioned "
    "described said".split()
)
_IN = re.compile(r"\b(?:in|from|to|near|at|around|through|via|visit(?:ed)?|of) (?:the )?$")
_MONTH_LIKE: Final = frozenset({"April", "May", "June", "August"})
_MONTH_BEFORE = re.compile(
    r"\b(?:in|since|until|by|on|of|last|next|this|early|mid|late|from|to|before|after|\d{1,2}) $"
)
_DIGIT_AFTER = re.compile(r"\s*+\d")


_INITIALS = re.compile(r"(?:[^\W\d_]\.)++[^\W\d_]")
_NO_INITIALS: Final = frozenset(
    "U.S U.K U.N E.U D.C L.A N.Y P.S A.M P.M A.D B.C B.A M.A M.D a.m p.m e.g i.e".split()
)


def is_initials(text: str) -> bool:
    """Check whether a word is the initials of a person: J.R."""
    return text[1:2] == "." and _INITIALS.fullmatch(text) is not None and text not in _NO_INITIALS


def type_of(name: str, run: Sequence[Token], sentence: str) -> str | None:
    """Return the type of a capitalised run; None if unknown, "" if it is not a name at all."""
    before = sentence[max(0, run[0].start - 40) : run[0].start]
    if len(run) == 1 and run[0].text in _MONTH_LIKE:
        dated = _MONTH_BEFORE.search(before.lower()) or _DIGIT_AFTER.match(sentence, run[0].stop)
        if dated or not before.strip():
            return ""
    listed = _type_by_lists(name, run, before)
    if listed is not None:
        return listed
    own = _type_by_own_words(run)
    if own is not None:
        return own
    if run[0].person and (len(run) > 1 or _shows_person(run[0], before, sentence)):
        return "person"
    return _type_by_neighbours(run, before)


def _type_by_lists(name: str, run: Sequence[Token], before: str) -> str | None:
    if name in PLACES:
        if run[0].text in FIRST_NAMES and len(run) == 1:
            return "place" if _IN.search(before) else "person"
        if not run[0].common or len(run) > 1:
            return "place"
        return "place" if _IN.search(before) else ""
    for type_, entries in (("tool", TOOLS), ("organisation", ORGANISATIONS), ("product", PRODUCTS)):
        if name in entries:
            return type_ if before.strip(" \"'(") or not run[0].common else ""
    first = run[0].text
    if len(run) > 1 and (first in PRODUCTS or f"{first} {run[1].text}" in PRODUCTS):
        return "product"
    if len(run) > 1 and first in ORGANISATIONS and run[1].text == "Model":
        return "product"
    return None


def _type_by_own_words(run: Sequence[Token]) -> str | None:
    first, last = run[0].text, run[-1].text
    if len(run) == 1:
        return None
    if first in TITLES and first != last and not run[1].never:
        return "person"
    if last in ORGANISATION_ENDINGS or first.lower() in _ORGANISATION_HEADS:
        return "organisation"
    if last in PLACE_ENDINGS or first.lower() in _PLACE_HEADS:
        return "place"
    if (len(first) == 1 or is_initials(first)) and run[1].text == ".":
        return "person"
    return None


def _shows_person(token: Token, before: str, sentence: str) -> bool:
    """Check whether a single given name is meant as one; common words need evidence."""
    ahead = before.rstrip()
    inside = bool(ahead.strip(" \"'(")) and ahead[-1] not in ".!?:;"
    if not token.common or inside:
        return True
    if token.possessive and _IS.match(sentence, token.stop) is None:
        return True  # Mark's house, but not: Art's awesome
    return _AFTER_NAME.match(sentence, token.stop) is not None


_IS = re.compile(
    r" (?:an?|the|not|so|such|always|never|all|really|very|been|just|my|one|about|what|how|why|for"
    r"|in|on|\w{2,20}(?:ed|ing)|\w{2,20}(?:some|ful|ous|able|ive|ic)|great|good|fun|hard|everything)\b"
)
_SPEAKS = re.compile(rf" (?:{_any_of(_SPEAKING)})\b")
_ACTS = re.compile(rf" (?:{_any_of(_SPEAKING)}|{_any_of(_ACTING)})\b")
_AFTER_NAME = re.compile(rf" (?:{_any_of(_SPEAKING)}|left|called|came|and [A-Z]\w* )")


def _type_by_neighbours(run: Sequence[Token], before: str) -> str | None:
    if len(run) == 1 and run[0].never:
        return None
    match = _BEFORE.search(before)
    if match is None and (context := _type_by_context(run, before)) is not None:
        return context
    if match is None or (len(run) == 1 and run[0].common and match.lastgroup != "organisation"):
        return None
    if len(run) == 1 and run[0].common and before.endswith("the "):
        return None
    return match.lastgroup


def _type_by_context(run: Sequence[Token], before: str) -> str | None:
    """Return the type shown by a role, a verb of speech or a preposition before a name."""
    if any(token.never or token.common for token in run):
        return None
    role = _ROLE_BEFORE.search(before)
    if (role and role[1].lower() in _ROLES) or _SAID_BY.search(before):
        return "person"
    place = _PLACED.search(before) if len(run) < 3 and run[-1].text.isalpha() else None
    placed = place is not None and (place["before"] or "").lower() not in _NO_PLACE
    return "place" if placed and not run[0].text[1:2].isupper() else None


def has_role(sentence: str, stop: int) -> bool:
    """Check whether the words after `stop` give somebody's role: Ann, the accountant."""
    match = _ROLE_AFTER.match(sentence, stop)
    return match is not None and match[1].lower() in _ROLES


def by_what_follows(sentence: str, stop: int) -> str | None:
    """Return the type shown by the words after a single name.

    A person speaks, calls or has a role."""
    shown = is_speaker(sentence, stop) or has_role(sentence, stop)
    return "person" if shown or _CALLS.match(sentence, stop) else None


def is_actor(sentence: str, stop: int) -> bool:
    """Check whether the words after `stop` state what a person or company does."""
    return _ACTS.match(sentence, stop) is not None or _CALLS.match(sentence, stop) is not None


def is_speaker(sentence: str, stop: int) -> bool:
    """Check whether the words after `stop` state what a person does."""
    return _SPEAKS.match(sentence, stop) is not None
