"""The verbs and nouns by which a clause relates two names, and their predicates."""

from types import MappingProxyType
from typing import Final

from graphmem.language.extraction.literals import NameSpan
from graphmem.language.extraction.things import is_role

PASSIVE: Final = "is "  # precedes the preposition of a passive: "is in" for is based in
BY: Final = "by whom"  # the doer in a passive

_PERSON: Final = frozenset({"person"})
_PLACE: Final = frozenset({"place"})
_GROUP: Final = frozenset({"organisation", "project", "product", "tool"})
_MADE: Final = frozenset({"product", "project", "tool", "code", "file", "work", "organisation"})
_ANY: Final = _PERSON | _PLACE | _MADE | {"event", "url", "concept"}
NO_THING: Final = _PERSON | _PLACE | {"language"}
"""The types that a common noun never has."""

_VERBS: Final = MappingProxyType(
    {
        "works-at": "work at, work for, join, is employ by whom, teach at, intern at, volunteer at",
        "employs": "hire, employ, recruit",
        "lives-in": "live in, reside in, move to, relocate to, settle in, move back to",
        "located-in": "is locate in, is situate in, is base in, is headquarter in, stand in, "
        "sit in, is house in",
        "born-in": "is bear in, grow up in",
        "married-to": "marry, is marry to, is engage to",
        "works-with": "work with, collaborate with, partner with, cooperate with",
        "reports-to": "report to, answer to",
        "manages": "manage, supervise, oversee, coach",
        "leads": "lead, head, chair, run, head up, take over",
        "uses": "use, run on, rely on, switch to, migrate to, adopt, is build on, is build with, "
        "is write in, is power by whom",
        "depends-on": "depend on, require, need",
        "part-of": "belong to, is include in",
        "contains": "contain, include, comprise, consist of",
        "develops": "develop, make, build, create, produce, manufacture, design, write, maintain, "
        "invent, implement, publish, brew, compose",
        "founded": "found, co-found, cofound, establish, set up, start",
        "owns": "own, acquire, buy, buy out",
        "supplies": "supply, deliver to, supply to, ship to, sell to, provide to",
        "supersedes": "replace, supersede, succeed",
        "studies-at": "study at, attend, enrol at, enroll at, graduate from, is enrol at",
        "visited": "visit, travel to, fly to, go to, drive to",
        "met": "meet, meet with, talk to, speak with",
        "supports": "support",
        "looks-after": "look after",
        "has-role": "work as, serve as",
        "represents": "represent, act for",
        "advises": "advise, mentor, tutor, teach",
        "hosts": "host",
        "funds": "fund, sponsor, finance, invest in",
        "speaks": "speak",
        "plays-for": "play for",
        "named-after": "is name after, is call after",
        "treats": "treat",
        "audits": "audit, review, inspect",
        "competes-with": "compete with",
    }
)
TYPES: Final = MappingProxyType(
    {
        "works-at": (_PERSON, _GROUP),
        "has-role": (_PERSON, frozenset({"concept"})),
        "employs": (_GROUP, _PERSON),
        "lives-in": (_PERSON, _PLACE),
        "located-in": (_ANY, _PLACE | _GROUP),
        "born-in": (_PERSON, _PLACE),
        "married-to": (_PERSON, _PERSON),
        "reports-to": (_PERSON, _PERSON),
        "manages": (_PERSON, _PERSON | _MADE),
        "leads": (_PERSON, _MADE | {"event"}),
        "uses": (_PERSON | _MADE, _MADE - {"organisation"} | {"concept"}),
        "depends-on": (_MADE, _MADE),
        "develops": (_PERSON | _MADE, _MADE - {"organisation"}),
        "founded": (_PERSON, _MADE | {"event"}),
        "owns": (_PERSON | _GROUP, _MADE | _PLACE),
        "supersedes": (_MADE | _PERSON, _MADE | _PERSON),
        "studies-at": (_PERSON, _GROUP | {"event"}),
        "visited": (_PERSON, _PLACE | {"organisation"}),
        "met": (_PERSON, _PERSON),
        "speaks": (_PERSON, frozenset({"language"})),
        "contains": (_ANY - _PERSON, _ANY - _PERSON),
        "part-of": (_ANY, _ANY - _PERSON),
    }
)
"""The types of both ends of a predicate; a name of unknown type fits any."""

_OF_THINGS: Final = frozenset(
    "uses depends-on supplies owns contains develops part-of looks-after has-role".split()
)
"""Predicates whose object may be a common noun; others use the verb itself: runs, leads."""

_ROLES: Final = MappingProxyType(
    {
        "leads": "ceo cto cfo coo head lead leader director chair chairman chairwoman president "
        "captain principal chief coordinator",
        "manages": "manager boss supervisor",
        "owns": "owner landlord proprietor",
        "founded": "founder cofounder co-founder",
        "married-to": "wife husband spouse",
        "partner-of": "partner girlfriend boyfriend fiancé fiancée fiance fiancee",
        "sibling-of": "sister brother twin",
        "parent-of": "mother father mom mum dad parent",
        "child-of": "son daughter child",
        "friend-of": "friend",
        "works-with": "colleague coworker teammate",
        "part-of": "part component module subsidiary division member branch subdivision suburb",
        "supplies": "supplier vendor provider",
        "develops": "maker manufacturer developer author writer creator designer architect "
        "maintainer inventor producer",
        "supersedes": "successor replacement",
    }
)
_OTHER_ROLES: Final = frozenset(
    "accountant agent apprentice architect assistant aunt auditor broker capital carpenter client "
    "cousin customer deputy doctor electrician engineer granddaughter grandfather grandmother "
    "grandson guardian guest heir intern king landlady lawyer mayor neighbour neighbor nephew "
    "niece nurse patient plumber prince princess queen rival roommate secretary solicitor sponsor "
    "student tenant therapist trainee trainer treasurer tributary tutor uncle vet".split()
)
_JOB_MARKERS: Final = frozenset({"at", "for", "with"})
_POST_MARKERS: Final = frozenset(
    {"on", "aboard"}
)  # name a workplace only after a role: an engineer on a ferry, not an expert on ferries

KINDS_OF_THINGS: Final = frozenset(
    "team project service app library platform module company firm family crew cluster server "
    "database department group system component dashboard api backend frontend client package "
    "plugin office plant site school university hospital shop store studio clinic supplier vendor "
    "agency bank contract product tool framework model kiln line machine dr mr mrs ms".split()
)
"""Nouns that say what kind of thing the name before or after them is."""

UNREAL: Final = frozenset(
    "not never no n't longer hardly barely if unless whether might may could would should must can "
    "will wo ca shall nearly almost until formerly previously".split()
)
"""Words that make a statement denied, only possible or planned."""

HUMAN: Final = frozenset(
    "say tell ask think know want write love like prefer hate suggest agree promise explain reply "
    "study teach marry hope decide choose drink eat speak sing phone complain apologise admit "
    "retire lend borrow cook sleep laugh cry smile remember forget believe worry swim limp wear "
    "ring chat joke insist swear regret wish dislike enjoy".split()
)
"""Verbs for what people do, and hardly anything else."""

_VAGUE: Final = frozenset(
    "say tell ask think see know go come do give put let mean feel look "
    "seem keep find call try show help like love hate hope believe hear remember forget wait watch "
    "leave stop end begin become turn bring send write read mention discuss agree decide plan "
    "expect wish wonder guess suppose prefer enjoy consider compare contact email phone text "
    "thank note add change move set happen include follow start fix check stay miss congratulate "
    "remind schedule confirm cover hold pay book pick cost last appear remain sound raise "
    "lower cut increase reduce lose cross".split()
)
"""Verbs that relate two names in too many ways to be a predicate."""

OWN_WITH_THINGS: Final = frozenset("buy write compose publish create start".split())
"""Verbs whose predicate holds for names only: who buys books need not own them."""

_MARKERS: Final = frozenset(
    "to for from in at on with into onto through over behind under near against beside as".split()
)
"""Prepositions that a verb may have as a predicate of its own."""

OF_OCCASIONS: Final = frozenset("in at on with over under near against beside".split())
"""Those that tell where and how something happened once when a common noun follows: bowed at the
car, marched with a flag."""

BEING: Final = MappingProxyType(
    {marker: "located-in" for marker in ("in", "at", "inside")}
    | {
        marker: f"is-{marker}"
        for marker in ("on", "with", "behind", "under", "near", "beside", "about", "above")
    }
)
"""Predicates of what is somewhere or with somebody, by the preposition."""

_VOWELS: Final = frozenset("aeiou")
_LONGEST: Final = 30  # letters of a verb; a longer word is none


_THING_MARKERS: Final = MappingProxyType(
    {"in": "located-in", "at": "located-in", "from": "comes-from"}
)
_SITES: Final = frozenset({"place", "organisation", "product", None})


def _index_by_key() -> dict[tuple[str, str], str]:
    found = dict[tuple[str, str], str]()
    for predicate, ways in _VERBS.items():
        for way in ways.split(", "):
            if way.endswith(f" {BY}"):
                found[way.removeprefix(PASSIVE).removesuffix(f" {BY}"), BY] = predicate
                continue
            passive = way.startswith(PASSIVE)
            words = way.removeprefix(PASSIVE).split()
            prep = words[-1] if len(words) > 1 and words[-1] not in ("over", "up", "out") else ""
            verb = " ".join(words[:-1] if prep else words)
            found[verb, f"{PASSIVE}{prep}" if passive else prep] = predicate
    return found


_PREDICATES: Final = MappingProxyType(_index_by_key())
_ROLE_OF: Final = MappingProxyType(
    {noun: predicate for predicate, nouns in _ROLES.items() for noun in nouns.split()}
)


def verb_predicate(verb: str, key: str) -> str | None:
    """Return the predicate of a verb with its preposition, or the verb itself in the third person.

    None for one that says too little."""
    known = _PREDICATES.get((verb, key))
    if known is not None:
        return known
    if key == BY:  # made by: the doer makes it
        return _PREDICATES.get((verb, "")) or own_word(verb, "")
    return None if key.startswith(PASSIVE) else own_word(verb, key)


def fits_thing(predicate: str, one: NameSpan, other: NameSpan) -> bool:
    """Check whether a predicate may be used if one of both ends is a common noun, not a name."""
    types = TYPES.get(predicate)
    if one.type == "concept":
        return types is not None and not types[0] <= _PERSON | {"organisation"}
    return predicate in _OF_THINGS


def role_predicate(noun: str, marker: str, one: NameSpan, other: NameSpan) -> str | None:
    """Return the predicate of a role, such as lawyer of; None if the noun is not a role.

    Whatever a named person is of something with a name is a role: Southgate's councillor."""
    if marker in ("of", "to") or (marker in _JOB_MARKERS and noun in _ROLE_OF):
        known = _ROLE_OF.get(noun)
        named = one.type == "person" and other.type not in ("concept", "person")
        shown = noun in _OTHER_ROLES or is_role(noun) or named
        return known or (f"{noun}-of" if marker == "of" and shown else None)
    employed = marker in _JOB_MARKERS or (marker in _POST_MARKERS and is_role(noun))
    return "works-at" if employed else None


def name_predicate(one: NameSpan, marker: str, other: NameSpan) -> str | None:
    """Return the predicate of two names with a preposition between them.

    Examples: Dara of Brightwell, Tideway in Lund."""
    if one.type == "concept":
        return _THING_MARKERS.get(marker) if other.type in _SITES else None
    if one.type == "person":
        firm = other.type == "organisation" or (other.type is None and " " in other.name)
        works = firm and " " in one.name and marker in ("of", "at", "from")
        placed = other.type == "place" and marker in ("in", "from")
        there = "comes-from" if marker == "from" else "located-in"
        return "works-at" if works else there if placed else None
    placed = marker == "in" and other.type == "place" and one.type not in ("event", "work")
    return "located-in" if placed else None


def own_predicate(verb: str, word: str, tag: str, key: str) -> str | None:
    """Return a verb, in the form `word` with its tag, as a predicate: sings-in, written-in.

    None for one that says too little."""
    if key == BY:
        return own_word(verb, "")
    if not key.startswith(PASSIVE):
        own = own_word(verb, key)
        if own is None or tag != "VBZ" or not word.isalpha():
            return own
        return f"{word}-{key}" if key else word  # the model may be wrong about the infinitive
    marker = key.removeprefix(PASSIVE)
    vague = own_word(verb, marker) is None or marker not in _MARKERS or not word.isalpha()
    return None if vague else f"{word}-{marker}"


def own_word(verb: str, key: str) -> str | None:
    """Return the verb in the third person with its preposition.

    None for one that says too little."""
    if (
        verb in _VAGUE
        or (key and key not in _MARKERS)
        or " " in verb
        or not verb.isalpha()
        or not 3 <= len(verb) <= _LONGEST
    ):
        return None
    if verb == "have":
        third_person = "has"
    elif verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        third_person = f"{verb}es"
    elif verb.endswith("y") and verb[-2] not in _VOWELS:
        third_person = f"{verb[:-1]}ies"
    else:
        third_person = f"{verb}s"
    return f"{third_person}-{key}" if key else third_person
