"""Set phrases: greetings, thanks, closings and signatures. They state nothing, so that two texts
which share one have nothing in common by it, and a text which has one more says no more.

What is missing in the list costs a merge, never makes a wrong one: whatever is no set phrase counts
as a statement, which must be told again before two notes become one."""

import re
from typing import Final

_TEXT: Final = """
    hi; hello; hey; hiya; howdy; dear; greetings; welcome; welcome back; hi there; hello there
    hey there; hello again; hi again; hello world; good morning; good afternoon; good evening
    good day; good night; happy monday; happy friday; happy new year
    sir or madam; ladies and gentlemen; to whom it may concern
    thanks; thank you; thx; ty; many thanks; thanks again; thanks a lot; thanks a million
    thanks so much; thanks very much; thank you very much; thank you so much; thank you all
    thank you again; thanks all; thanks everyone; thanks in advance; thank you in advance
    thanks for reading; thank you for reading; thanks for your help; thank you for your help
    thanks for your time; thank you for your time; thanks for your patience; much appreciated
    thank you for your patience; thanks for understanding; thank you for understanding
    i appreciate it; with thanks; with many thanks; cheers; ta; please; no problem; no worries
    you're welcome; you are welcome; my pleasure; sorry; sorry about that; apologies; pardon
    best; all the best; best wishes; with best wishes; regards; best regards; kind regards
    kindest regards; warm regards; warmest regards; with kind regards; with best regards
    yours; yours sincerely; yours truly; yours faithfully; sincerely; sincerely yours
    respectfully; respectfully yours; cordially; warmly; love; with love; lots of love; hugs
    take care; be well; stay safe; stay well; bye; bye bye; goodbye; good bye; ciao; adieu
    so long; farewell; see you; see you soon; see you later; see you around; see you then
    see ya; talk soon; talk to you soon; talk to you later; speak soon; catch you later
    until then; until next time; till then; till next time; have a nice day; have a great day
    have a good day; have a good one; have a lovely day; have a nice weekend; good luck
    have a great weekend; have a good weekend; enjoy; enjoy your day; enjoy your weekend
    ok; okay; alright; all right; well; anyway; great; sure; fine; perfect; noted
    got it; understood; will do; roger; yes; yep; yeah; of course; exactly; agreed
    fyi; for your information; for the record; for info; btw; by the way; just so you know
    just fyi; just a note; just a quick note; just a heads up; heads up; a quick note; quick note
    a quick update; quick update; note; note to self; reminder; a reminder; friendly reminder
    just a reminder; just a quick reminder; quick reminder; a friendly reminder; good to know
    nb; ps; p s; n b; tl dr; tldr; as discussed; as promised
    as mentioned; as you know; one more thing; one thing; another thing; last but not least
    let me know; please let me know; let me know what you think; just let me know
    let me know if you have questions; let me know if you have any questions
    let me know if you need anything; let me know if you need anything else
    let me know if there are any questions; let me know if anything is unclear
    please let me know if you have any questions; please let me know if you have questions
    if you have any questions; any questions; feel free to ask; feel free to reach out
    please feel free to reach out; reach out if you have questions; do not hesitate to ask
    please do not hesitate to contact me; please don't hesitate to contact me; happy to help
    don't hesitate to ask; hope this helps; i hope this helps; hope that helps; i hope that helps
    hope it helps; hope you are well; i hope you are well; hope you're well; i hope you're well
    hope all is well; i hope all is well; hope this finds you well; i hope this finds you well
    hope this email finds you well; i hope this email finds you well; how are you
    how are you doing; how are things; how is it going; how's it going; what's up; long time no see
    looking forward; looking forward to it; looking forward to hearing from you
    i look forward to hearing from you; keep up the good work; keep in touch; stay tuned
    sent from my phone; sent from my iphone; sent from my mobile; that's all; that is all
    that's all for now; that is all for now; that's it; that is it; end of message; over and out
    please remember; remember; please remember this; remember this; please note; keep this in mind
    please keep this in mind; don't forget; do not forget; please don't forget; important
    please remember that; please save this; save this; for later; for the file
"""
_PHRASES: Final = frozenset(
    tuple(phrase.split()) for line in _TEXT.splitlines() for phrase in line.split(";") if phrase
)
_BEHIND: Final = frozenset(  # another one: thanks and bye; best, your Ida; hi all
    "and from your all everyone everybody team folks guys friends colleagues both sir madam".split()
)
_LONGEST: Final = max(map(len, _PHRASES))
_MOST_WORDS: Final = 16  # of a piece that is looked at
_MOST_NAMES: Final = 3  # words of a piece that is nothing but a name
_KNOWN: Final = frozenset(word for phrase in _PHRASES for word in phrase) | _BEHIND
_SIGN = re.compile(r"[^\w\s.,;:!?…\"'()*’‘“”–—-]")  # noqa: RUF001  an emoji may state something
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # noqa: RUF001
_BETWEEN = re.compile(r" ?[,:;!] | [–—-]+ |[–—] ")  # noqa: RUF001


def is_set_phrase(piece: str) -> bool:
    """Whether a piece of a text is made of set phrases and names only: Best regards, Ida."""
    words = _words(piece)
    if len(words) > _MOST_WORDS or _SIGN.search(piece):
        return False
    return not words or _is_name(words) or _fits(words, names=True)


def names_in_phrase(piece: str) -> frozenset[str]:
    """The words of a set phrase that belong to none: whom it greets, who signs; small."""
    words = _words(piece)
    if _fits(words, names=False):
        return frozenset()
    return frozenset(
        word.lower()
        for at, word in enumerate(words, 1)
        if word[0].isupper() and (at == len(words) or word.lower() not in _KNOWN)
    )


def parted(sentence: str) -> list[str]:
    """A sentence without the set phrases at its beginning and end, which stand by themselves: "Hi
    Ida, it is open, thanks" is three pieces."""
    sentence = " ".join(sentence.split())
    cuts = [(found.start(), found.end()) for found in _BETWEEN.finditer(sentence)]
    if not cuts or is_set_phrase(sentence):
        return [sentence]
    head, tail = [], []
    begin, end = 0, len(sentence)
    for cut, next_begin in cuts[:_MOST_NAMES]:
        if not _opens(sentence[begin:cut]):
            break
        head.append(sentence[begin:cut])
        begin = next_begin
    for cut, last_begin in reversed(cuts[-_MOST_NAMES:]):
        if cut <= begin or not _opens(sentence[last_begin:end]):
            break
        tail.insert(0, sentence[last_begin:end])
        end = cut
    return [*head, sentence[begin:end], *tail]


def _words(piece: str) -> list[str]:
    found = []
    for word in _WORD.findall(piece[: 20 * _MOST_WORDS]):
        found.append(word.replace("’", "'"))  # noqa: RUF001
        if len(found) > _MOST_WORDS:
            break
    return found


def _opens(piece: str) -> bool:
    words = _words(piece)
    return 0 < len(words) <= _MOST_WORDS and _fits(words, names=True)


def _is_name(words: list[str]) -> bool:
    """One to three words with capitals, as under a letter."""
    return len(words) <= _MOST_NAMES and all(map(_is_called, words))


def _fits(words: list[str], *, names: bool) -> bool:
    """Whether words are set phrases, with `names` allowed behind them."""
    plain = [word.lower() for word in words]
    reached = {0}
    for at in range(len(words)):
        if at not in reached:
            continue
        ends = range(at + 1, min(at + _LONGEST, len(words)) + 1)
        reached |= {end for end in ends if tuple(plain[at:end]) in _PHRASES}
        if at and (plain[at] in _BEHIND or (names and _is_called(words[at]))):
            reached.add(at + 1)
    return len(words) in reached


def _is_called(word: str) -> bool:
    return word[0].isupper() and not any(letter.isdigit() for letter in word)
