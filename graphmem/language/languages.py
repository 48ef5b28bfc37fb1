"""Guesses the language of a text by its function words, or by its script."""

import re
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from graphmem.language.tokenizer import Tokens, tokens_in

MOST_READ = 800  # characters
_LEAST = 2  # function words that show a language


class Language(StrEnum):
    """A language that function words show."""

    ENGLISH = "en"
    GERMAN = "de"
    FRENCH = "fr"
    SPANISH = "es"
    ITALIAN = "it"
    PORTUGUESE = "pt"
    DUTCH = "nl"
    NORDIC = "nordic"
    """Danish, Norwegian or Swedish"""
    OTHER = "other"
    """one that has another script"""
    UNKNOWN = "unknown"
    """too little is said, or in a language that is not listed"""


_WORDS: Final = MappingProxyType(
    {
        Language.ENGLISH: "the and of to in is are was were be been it its this that with for from "
        "on at by as an a not have has had will would can could should we you they he she my our "
        "your their his her but or if so i me us what when who which there then than do does did "
        "about after before into out up no am",
        Language.GERMAN: "der die das den dem des ein eine einen einem einer und oder ist sind war "
        "waren nicht mit für auf ich wir sie er es im zum zur hat haben wird werden bei von aus "
        "nach sich auch noch nur wenn weil dass aber als wie bis über um am an zu vor sehr schon "
        "mein meine unser unsere kein keine heute morgen muss kann soll",
        Language.FRENCH: "le la les un une des du de et ou est sont était pas ne que qui dans pour "
        "sur avec par au aux ce cette ces il elle nous vous ils je mon ma mes son sa ses leur mais "
        "plus très a ont été être avoir si comme à en où",
        Language.SPANISH: "el la los las un una unos del de y o es son era no que en con por para "
        "al se su sus lo le les pero más muy ha han fue está están como cuando este esta mi mis "
        "nos ya hay sin desde hasta porque",
        Language.ITALIAN: "il lo la i gli le un una uno del della dei delle di e o è sono era non "
        "che in con per al alla da dal dalla si su suo sua ma più molto ha hanno come quando "
        "questo questa mio mia ci anche nel nella sul sulla",
        Language.PORTUGUESE: "o a os as um uma uns do da dos das de e ou é são era não que em com "
        "por para ao à se seu sua mas mais muito foi está estão como quando este esta no na nos "
        "nas pelo pela já também",
        Language.DUTCH: "de het een en of is zijn was waren niet met voor op in van ik wij we hij "
        "zij ze er dat die dit deze aan bij naar uit te om ook nog maar als dan heeft hebben wordt "
        "worden door over onze mijn geen staat",
        Language.NORDIC: "och att det som en ett är var inte med för på av till har den de vi jag "
        "han hon og er ikke til på av jeg et men eller så om fra från der på kan skal skulle også "
        "efter etter blev blir när når",
    }
)
_LANGUAGES: Final = tuple(Language)
_PLACES: Final = MappingProxyType({language: i for i, language in enumerate(_LANGUAGES)})
_LANGUAGES_OF: Final = MappingProxyType(
    {
        word: tuple(_PLACES[each] for each, others in _WORDS.items() if word in others.split())
        for words in _WORDS.values()
        for word in words.split()
    }
)
_LETTER: Final = re.compile(r"[^\W\d_]")
_OTHER: Final = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")  # no Latin letters


def language_of(text: str) -> Language:
    """The language of a text, by its first 800 characters. English where another language has no
    more function words than it."""
    head = text[:MOST_READ]
    if not head.isascii() and 2 * len(_OTHER.findall(head)) > len(_LETTER.findall(head)):
        return Language.OTHER
    counts = [0] * len(Language)
    for word in tokens_in(head.lower(), Tokens.RUN):
        for place in _LANGUAGES_OF.get(word, ()):
            counts[place] += 1
    most = max(counts)
    if not most:
        return Language.UNKNOWN
    if counts[_PLACES[Language.ENGLISH]] == most:
        return Language.ENGLISH
    return _LANGUAGES[counts.index(most)] if most >= _LEAST else Language.UNKNOWN


def is_foreign(language: Language) -> bool:
    """Decide if a text is known not to be English."""
    return language not in (Language.ENGLISH, Language.UNKNOWN)
