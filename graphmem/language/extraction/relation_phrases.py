"""The phrases that state a relation.

They are patterns over a sentence whose names are one letter each."""

import re
from dataclasses import dataclass
from typing import Final

NAME: Final = "[\ue000-\ue3ff]"  # the n-th name of a sentence is the sign U+E000 + n
SPEAKER: Final = "\uf000"  # I
WE: Final = "\uf001"
_ARTICLE = r"(?:(?:the|a|an|his|her|its|their|our|my) )?"
NAME_LIST: Final = rf"{_ARTICLE}{NAME}(?:(?:, and |, | and | & ){_ARTICLE}{NAME})*"
_BE = (
    r"(?:(?:is|are|am|was|were|has been|have been|feels?|remains?) )?"
    r"(?:(?:very|quite|really|pretty|still|fairly|absolutely) )?"
)

PERSON: Final = frozenset({"person", None})
PLACE: Final = frozenset({"place"})
EMPLOYER: Final = frozenset({"organisation", "project", None})
NOT_PERSON: Final = frozenset({"organisation", "project", "product", "tool", "code", "file", None})
THING: Final = frozenset({"project", "product", "tool", "code", "file", None})
ANYTHING: Final = frozenset(
    {"person", "organisation", "place", "project", "product", "tool", "code", "file", "url", None}
)


THINGS_AND_PLACES: Final = ANYTHING - {"person"}


@dataclass(frozen=True)
class Phrase:
    """Words between a subject and an object that state a relation between them."""

    predicate: str  # of domain.predicates; an inverse one is turned round
    words: tuple[str, ...]  # regular expressions, one for each wording
    subjects: frozenset[str | None] = ANYTHING
    objects: frozenset[str | None] = ANYTHING
    concept: bool = False  # the object may be a few plain words
    we: bool = False  # also holds for the speaker if «we» is the subject


WORKPLACE: Final = EMPLOYER | {"product", "tool"}  # names that companies share
_MAKERS = frozenset({"person", "organisation", None})
_OWNED = frozenset({"organisation", "product", "project", None})
_SCHOOLS = frozenset({"organisation", None})
WHERE: Final = frozenset({"place", None})
_PLACED = frozenset({"organisation", "place", "project", None})
_OFFICES = (
    "(?:CEO|CTO|CFO|COO|head|president|chairman|chairwoman|director|founder|VP|employee|"
    "founder and CEO|co-founder)"
)
_KNOWN_CONDITIONS = (
    "diabetes asthma migraines? adhd depression anxiety hypertension epilepsy arthritis insomnia "
    "cancer ptsd autism dyslexia anemia eczema psoriasis osteoporosis sciatica celiac_disease "
    "crohn's_disease high_blood_pressure type_[12]_diabetes"
)
CONDITION: Final = re.compile(
    "(?:" + _KNOWN_CONDITIONS.replace(" ", "|").replace("_", " ") + r")\b", re.IGNORECASE
)

PHRASES: Final = (
    Phrase("works-at", (
           r"(?:works?|has worked|have worked|is working|am working) (?:at|for)",
           r"(?:works?|has worked|is working|am working) as an? [\w -]{2,40}? (?:at|for)",
           r"joined", r"is employed (?:at|by)", r"teach(?:es)? at",
           r"(?:got|took) (?:a|the) job at", r"started (?:working )?at",
           r"(?:is|am) (?:an?|the) [\w -]{2,40}? at",
           rf"(?:is|am),? (?:the |an? )?(?:new )?{_OFFICES} (?:of|at)",
           rf", (?:the )?{_OFFICES} of",
          ), PERSON, WORKPLACE),
    Phrase("employs", (r"hired", r"employs",), EMPLOYER, PERSON),
    Phrase("lives-in", (r"lives? in", r"(?:is|am|are) (?:living|based) in",
           r"moved (?:back )?to", rf"moved from {NAME} to", r"relocated to",
           r"resides? in",), PERSON, WHERE),
    Phrase("located-in", (r"(?:is|are) (?:located|situated|headquartered|based) in",
           r"has its (?:office|headquarters) in",), _PLACED, WHERE),
    Phrase("born-in", (r"(?:was|were) born in",), PERSON, WHERE),
    Phrase("married-to", (r"(?:is|am) married to", r"married",), PERSON, PERSON),
    Phrase("reports-to", (r"reports? to",), PERSON, PERSON),
    Phrase("manages", (r"manages?", r"supervises?",), PERSON, ANYTHING - PLACE),
    Phrase("managed-by", (r"(?:is|are|am) (?:managed|supervised) by",), ANYTHING - PLACE, PERSON),
    Phrase("leads", (
           r"leads?", r"heads?", r"runs?", r"is leading", r"am leading", r"is in charge of",
           r"is responsible for", r"is the (?:head|lead|leader|director) of",
          ), PERSON, EMPLOYER),
    Phrase("led-by", (r"(?:is|are) (?:led|headed|run) by",), EMPLOYER, PERSON),
    Phrase("works-with", (r"works? (?:closely )?(?:together )?with", r"collaborates? with",
          ), PERSON, PERSON),
    Phrase("friend-of", (r"(?:is|am) (?:a (?:good |close )?friend of|friends with)",
          ), PERSON, PERSON),
    Phrase("uses", (r"uses?", r"(?:is|are|am) (?:now )?using",
           r"(?:is|are|was|were) built (?:with|on)", r"(?:is|are) written in", r"switched to",
           r"migrated to", r"runs? on", r"works? with",), ANYTHING - PLACE, THING),
    Phrase("used-by", (r"(?:is|are) used by",), THING, ANYTHING - PLACE),
    Phrase("depends-on", (r"depends? on", r"relies on", r"rely on", r"requires",
          ), NOT_PERSON, NOT_PERSON),
    Phrase("required-by", (r"(?:is|are) required by",), NOT_PERSON, NOT_PERSON),
    Phrase("part-of", (
           r"(?:is|are) (?:a )?(?:part|component|module|subsidiary|division|member) of",
           r"belongs? to",), THINGS_AND_PLACES, THINGS_AND_PLACES),
    Phrase("contains", (r"contains?", r"includes?", r"consists? of",
          ), THINGS_AND_PLACES, NOT_PERSON),
    Phrase("develops", (r"develops?", r"(?:is|am|are) (?:developing|building|working on)",
           r"works? on", r"built", r"created", r"maintains?", r"implemented", r"wrote",
           r"designed",), ANYTHING - PLACE, THING),
    Phrase("developed-by", (
           r"(?:is|was|are|were) (?:developed|built|created|written|maintained|designed) by",
          ), THING, _MAKERS),
    Phrase("founded", (r"founded", r"cofounded", r"co-founded", r"established",
          ), PERSON, EMPLOYER),
    Phrase("owns", (r"owns?", r"acquired", r"bought",), ANYTHING - PLACE, _OWNED),
    Phrase("studies-at", (r"(?:study|studies) (?:[\w ]{2,30} )?at",
           r"(?:is|am) studying (?:[\w ]{2,30} )?at", r"attends?", r"(?:is|am) a student at",
          ), PERSON, _SCHOOLS),
    Phrase("visited", (r"visited", r"(?:went|travell?ed|flew) to", r"has been to",
           r"have been to",), PERSON, PLACE),
    Phrase("decided-on", (r"decided (?:on|to use|to go with|to adopt|for|in favou?r of)",
           r"opted for", r"settled on", r"went with", r"agreed (?:on|to use)",
           r"(?:are|is|am) going with",), ANYTHING - PLACE, THING, concept=True, we=True),
    Phrase("decided-on", (r"chose", r"have chosen", r"has chosen", r"picked", r"selected",),
           ANYTHING - PLACE, THING, we=True),
    Phrase("supersedes", (r"supersedes?", r"replaces?", r"replaced", r"superseded",
           r"(?:has|have) (?:replaced|superseded)",), NOT_PERSON, NOT_PERSON),
    Phrase("superseded-by", (
           r"(?:is|are|was|were|has been|have been) (?:replaced|superseded) (?:by|with)",
          ), NOT_PERSON, NOT_PERSON),
    Phrase("preceded-by", (r"(?:is|was|were|are) preceded by", r"comes after", r"came after",
          ), NOT_PERSON, NOT_PERSON),
    Phrase("followed-by", (r"(?:is|was|were|are) followed by", r"comes before", r"came before",
           r"precedes", r"preceded",), NOT_PERSON, NOT_PERSON),
    Phrase("prefers", (r"prefers?", r"favou?rs?", r"likes?", r"loves?", r"enjoys?",
           r"(?:is|am) (?:a (?:big |huge )?fan|fond) of",
          ), ANYTHING - PLACE, THINGS_AND_PLACES, concept=True),
    Phrase("avoids", (r"avoids?", r"dislikes?", r"hates?", r"(?:cannot|can't|can not) stand",
           r"(?:doesn't|does not|don't|do not) (?:like|enjoy)", r"stays? away from",
           r"refuses? to use",), ANYTHING - PLACE, THINGS_AND_PLACES, concept=True),
    Phrase("confident-about", (rf"{_BE}(?:confident|certain|sure) (?:about|of|in)",
          ), ANYTHING - PLACE, ANYTHING, concept=True),
    Phrase("uncertain-about", (
           rf"{_BE}(?:uncertain|unsure|not (?:sure|certain|confident)) (?:about|of|in)",
           r"has doubts about", r"have doubts about",), ANYTHING - PLACE, ANYTHING, concept=True),
    Phrase("allergic-to", (rf"{_BE}allergic to",), PERSON, THING, concept=True),
    Phrase("has-condition", (r"has", r"have", r"suffers? from",
           r"(?:was|were|is|am|has been|have been) diagnosed with",
          ), PERSON, PERSON - PERSON, concept=True),
    Phrase("relates-to", (r"(?:is|are) (?:closely )?related to", r"relates? to",
          ), NOT_PERSON, NOT_PERSON),
)  # fmt: skip

KIN: Final = {
    "wife": "married-to", "husband": "married-to", "spouse": "married-to", "partner": "partner-of",
    "girlfriend": "partner-of", "boyfriend": "partner-of", "fiancé": "partner-of",
    "fiancée": "partner-of", "fiance": "partner-of", "fiancee": "partner-of",
    "sister": "sibling-of", "brother": "sibling-of", "twin": "sibling-of",
    "mother": "parent-of", "father": "parent-of", "mom": "parent-of", "mum": "parent-of",
    "dad": "parent-of", "son": "child-of", "daughter": "child-of", "friend": "friend-of",
    "best friend": "friend-of", "manager": "manages", "boss": "manages", "colleague": "works-with",
    "coworker": "works-with", "teammate": "works-with",
}  # fmt: skip
"""X is the wife of Y: X married-to Y."""
