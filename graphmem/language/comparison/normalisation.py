"""Normalises a sentence for comparison: tokens, base forms of words, contractions, dates."""

import re

from graphmem.language.comparison import vocabulary as w
from graphmem.language.sentences import sentences
from graphmem.language.tokenizer import Tokens, tokens_in

_CODE = re.compile(r"[_`()/\\]|\w\.\w|[a-z][A-Z]|^-|\d[A-Za-z]|[A-Za-z]\d|[<>=!&@#+]")
_NUMBER = re.compile(r"v?\d+(?:[.,]\d+)*(?:st|nd|rd|th)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_DAY_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d(:\d\d)?")
_DAY_OF_MONTH = re.compile(r"([0-3]?\d)(?:st|nd|rd|th)?")
_YEAR = re.compile(r"(19|20)\d\d")
_REWRITES = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"^(?:please )?(?:remember|note|keep in mind|do(?: not|n['’]t) forget) that ", ""),  # noqa: RUF001
        (r"^(?:correction|update|actually)[:,]? ", "now "),
        (r"\bwould rather (?:have |use |take )?(.{1,160}?) than\b", r"prefers \1 over"),
        (r"\b(?:likes?|loves?|enjoys?) (.{1,160}?) (?:more|better) than\b", r"prefers \1 over"),
        (r"\bprefers? (?!to )(.{1,160}?) to\b", r"prefers \1 over"),
        (r"\b(would like|wants?)(?: to (?:get|have|receive))?\b", "wants"),
        (
            r"\b(?:has |have )?(?:resigned|stepped down|retired|quit) as (?:the )?",
            "is nolonger the ",
        ),
        (r"\b(?:(?:has|have) )?(?:stopped|quit) (?=\w+ing\b)", "nolonger "),
        (r"\bno longer\b", "nolonger"),
        (r"(?:n['’]t|\bnot) (.{1,160}?) (?:any ?more|any longer)\b", r" nolonger \1"),  # noqa: RUF001
        (r"\b(?:from now on|as of (?:now|today)|these days),?", "now"),
        (r"\bat all times\b", "always"),
        (r"\btakes? place\b", "is"),
        (r"\b(?:lies|is located|is situated)(?= (?:in|on|under|at|above|below|near|by|behind)\b)",
         "is"),
        (r"\b(\w+)'s home is in\b", r"\1 lives in"),
        (r"^(?:we decided|the decision is) to ", "decided to "),
        (r"\b(?:has|have) (?=\w+ed\b)", ""),
        (r"\bhas been\b", "is"),
        (r"\bhave been\b", "are"),
        (r"\bg[eo]ts? (?=(?:married|divorced|engaged|promoted)\b)", "is "),
        (r"\bin progress\b", "in-progress"),
        (r"\bfor sale\b", "for-sale"),
        (r"\bin front of\b", "infrontof"),
        (r"\bin order to\b", "to"),
        (r"\b(\w+) is what (\w+) (\w+)", r"\2 \3 \1"),
    )
)  # fmt: skip
BE = frozenset("be am is are was were been being".split())
ENDED = "nolonger"  # stands for every way to say that something ended
_STATES = frozenset().union(*w.STATES)
_GENITIVE = "'s"


def simplify_phrases(sentence: str) -> str:
    """Return the sentence with turns of phrase replaced by a plain word."""
    text = " ".join(sentence.split())
    for pattern, new in _REWRITES:
        text = pattern.sub(new, text)
    return text


def tokens_of(text: str) -> list[str]:
    """Return the words as written, with contractions taken apart."""
    found: list[str] = []
    for token in tokens_in(text, Tokens.STATEMENT):
        token = token.replace("’", "'")  # noqa: RUF001
        lower = token.lower()
        if lower == "can't" or lower == "cannot":
            found += ["can", "not"]
        elif lower == "won't":
            found += ["will", "not"]
        elif lower.endswith("n't"):
            found += [token[:-3], "not"]
        elif lower.endswith(("'m", "'re")):
            found += [token.split("'")[0], "are"]
        elif lower.endswith(("'ve", "'ll", "'d")):
            found += [
                token.split("'")[0],
                {"ve": "have", "ll": "will", "d": "would"}[lower.split("'")[1]],
            ]
        elif lower.endswith("'s"):
            base = token[:-2]
            is_verb = base.lower() in ("it", "that", "there", "he", "she", "what", "who", "here")
            found += [base, "is" if is_verb else _GENITIVE]
        else:
            found.append(token)
    return _rewrite_genitives(found)


def _rewrite_genitives(tokens: list[str]) -> list[str]:
    """Rewrite genitives: Ann's budget as the budget of Ann."""
    found: list[str] = []
    place = 0
    while place < len(tokens):
        if tokens[place] != _GENITIVE:
            found.append(tokens[place])
            place += 1
            continue
        start = len(found)
        while (
            start
            and len(found) - start < 3
            and (found[start - 1][:1].isupper() if start < len(found) else True)
            and not _is_break(found[start - 1].lower())
        ):
            start -= 1
        end = place + 1
        while end < len(tokens) and end - place <= 3 and not _is_break(tokens[end].lower()):
            end += 1
        if end < len(tokens) and not _is_break(tokens[end].lower()):
            end = place + 2
        found[start:] = ["the", *tokens[place + 1 : end], "of", *found[start:]]
        place = end
    return found


def _is_break(word: str) -> bool:
    return (
        word in BE
        or word in w.MARKERS
        or word in w.MODALS
        or word in w.DETERMINERS
        or word in (",", ";", ":", "and", "or", "of", _GENITIVE, ENDED, "not", "now")
        or word in w.VERBS
        or word in w.IRREGULAR_VERBS
        or (word.endswith("s") and word[:-1] in w.VERBS)
    )


def stem(token: str) -> str:
    """Return a word in its base form, as far as endings show it; code and names stay."""
    if _CODE.search(token):
        return token
    lower = token.lower()
    if _NUMBER.fullmatch(lower):
        simplified = _THOUSANDS.sub("", lower)
        return _ORDINAL.sub("", simplified)
    if lower in w.NUMBERS:
        return w.NUMBERS[lower]
    base = w.IRREGULAR_VERBS.get(lower) or _verb_base(lower, name=token != lower)
    return w.SYNONYMS.get(base, base)


def _verb_base(word: str, *, name: bool) -> str:
    if word in w.SYNONYMS or len(word) < 4:
        return word
    for cut in (1, 2):
        if word.endswith("s") and word[:-cut] in w.VERBS:
            return word[:-cut]
    if word.endswith("ies") and word[:-3] + "y" in w.VERBS:
        return word[:-3] + "y"
    if name:
        return word
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return _restore_verb(word[: -len(ending)], ending)
    return word


def _restore_verb(part: str, ending: str) -> str:
    """Return the verb whose part before -ing or -ed is `part`."""
    for guess in (part, part + "e", part[:-1]):
        if guess in w.VERBS or guess in w.SYNONYMS or guess in w.CHANGES or guess in _STATES:
            return guess
    if part.endswith("i") and ending == "ed":
        return part[:-1] + "y"
    if len(part) > 2 and part[-1] == part[-2] and part[-1] not in "lsz":
        return part[:-1]
    return (
        part + "e" if part[-1:] in "cvuz" or part.endswith(("at", "as", "ur", "ng", "rg")) else part
    )


def is_past(tokens: list[str]) -> bool:
    """Check whether the first verb is in the past."""
    before = ""
    for token in tokens:
        word = token.lower()
        if word in w.PAST_FORMS:
            return True
        if word in BE or word in ("has", "have", "do", "does") or word in w.MODALS:
            return False
        if word.endswith("ed") and token == word and len(word) > 3 and before not in BE:
            return True
        if before and (word in w.VERBS or (word.endswith("s") and word[:-1] in w.VERBS)):
            return False
        before = word
    return False


def take_times(tokens: list[str]) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """Replace each date or time by a placeholder; return the words and the placeholders.

    A placeholder means a pair (preposition, value)."""
    rest: list[str] = []
    times: dict[str, tuple[str, str]] = {}
    i = 0
    while i < len(tokens):
        size, value = _parse_time(tokens, i)
        if not size:
            rest.append(tokens[i])
            i += 1
            continue
        while rest and rest[-1].lower() in w.DETERMINERS | {"every", "each", ","}:
            word = rest.pop().lower()
            value = f"every {value}" if word in ("every", "each") else value
        preposition = ""
        if rest and rest[-1].lower() in w.MARKERS:
            preposition = rest.pop().lower()
            preposition = "" if preposition in w.PLACELESS else preposition
        name = f"\0{len(times)}"
        times[name] = (preposition, value)
        rest.append(name)
        i += size
    return rest, times


def _parse_time(tokens: list[str], i: int) -> tuple[int, str]:
    """Return how many words from `i` on form one date or time, and its value; 0 if none."""
    word = tokens[i].lower()
    following = [t.lower() for t in tokens[i + 1 : i + 4]]
    if _DAY_OR_TIME.fullmatch(word):
        return 1, word
    if word in w.WEEKDAYS:
        return 1, ("every " if word.endswith("s") else "") + w.WEEKDAYS[word]
    if word in w.SEASONS or word in ("daily", "weekly", "monthly", "yearly", "hourly"):
        return 1, word
    day = _DAY_OF_MONTH.fullmatch(word)
    if day and following:
        of = 1 if following[0] == "of" and len(following) > 1 else 0
        if (month := w.MONTHS.get(following[of])) and tokens[i + 1 + of][:1].isupper():
            size, year = _parse_year(following[of + 1 :])
            return 2 + of + size, f"{year}-{month}-{int(day[1]):02}"
    if word in w.MONTHS and tokens[i][:1].isupper():
        return _parse_month_first(tokens, i, following)
    if _YEAR.fullmatch(word) and i and tokens[i - 1].lower() in w.MARKERS:
        return 1, word
    return 0, ""


def _parse_month_first(tokens: list[str], i: int, following: list[str]) -> tuple[int, str]:
    month = w.MONTHS[tokens[i].lower()]
    day = _DAY_OF_MONTH.fullmatch(following[0]) if following else None
    if day:
        size, year = _parse_year(following[1:])
        return 2 + size, f"{year}-{month}-{int(day[1]):02}"
    before = tokens[i - 1].lower() if i else ""
    if before in w.MARKERS or before in ("every", "each", "last", "next", "is", "was", "are"):
        size, year = _parse_year(following)
        return 1 + size, f"{year}-{month}"
    return 0, ""


def _parse_year(following: list[str]) -> tuple[int, str]:
    comma = 1 if following[:1] == [","] else 0
    rest = following[comma : comma + 1]
    return (1 + comma, rest[0]) if rest and _YEAR.fullmatch(rest[0]) else (0, "-")


def capitalised_words(text: str) -> frozenset[str]:
    """Return the words with a capital letter that don't begin a sentence, in lower case."""
    return frozenset(
        token.lower()
        for sentence in sentences(text)
        for token in tokens_in(sentence, Tokens.STATEMENT)[1:]
        if token[:1].isupper() and token != "I"
    )
