"""Pairs of notes that are made, not written: unrelated facts that share set phrases, facts that
differ in one name or number, and facts that are told again with other phrases around them.

All is drawn from a seed, so a figure can be measured again."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WHO = "Ida Noor Tim Henk Orla Femi Priya Ruben Linnea Bastian Carla Mara Dana Astrid Bo Ann".split()
FACTS = (
    "The dentist is on {day} at {hour}.",
    "The parcel for {who} is at the front desk.",
    "{who} is allergic to {food}.",
    "The spare key of the {room} lies under the flower pot.",
    "Invoice {id} was paid by {who}.",
    "The {room} is painted {colour}.",
    "{who} plays the concertina in the choir.",
    "The heating of the {room} makes a loud noise.",
    "We decided to use Postgres {small} for the billing service.",
    "{who}'s train leaves at {hour} from platform {small}.",
    "The contract with Kestrow ends in {month}.",
    "Run `make lock` after changing the dependencies.",
    "The old kiln reaches {id} degrees.",
    "Guests of {who} may park behind the {room}.",
    "The coffee machine in the {room} needs new filters.",
    "{who} wants a vegetarian menu at the wedding.",
    "The server for the shop listens on port {id}.",
    "Nobody waters the plants in {month}.",
    "The alarm code of the {room} is {id}.",
    "{who} and {other} share the blue bicycle.",
    "The museum is free on the first {day} of the month.",
    "Our landlord repairs the roof of the {room} himself.|He comes from {town}.",
    "{who} sold the van.|It had a broken gearbox.",
    "The library lends {small} books at a time.|Late ones cost a pound.",
)
FILLERS: dict[str, Sequence[str]] = {
    "who": WHO,
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday".split(),
    "hour": "nine ten 8:15 16:40 noon".split(),
    "food": "nuts milk shellfish sesame celery".split(),
    "room": "cellar kitchen studio attic workshop office garage".split(),
    "colour": "green blue ochre white crimson".split(),
    "small": "3 5 6 7 12 16".split(),
    "id": "1042 1043 4711 5531 8321 1240".split(),
    "month": "March May August November".split(),
    "town": "Leeds Ghent Utrecht York".split(),
}
BEFORE: Sequence[str] = (
    "Hi!", "Hello {who}!", "Hi {who},", "Dear all,", "Good morning.", "Hey team!", "FYI:",
    "For your information.", "Hope you are well.", "Just a quick note.", "Reminder:",
    "Hello everyone, hope this finds you well.", "Note to self.", "Quick update from {who}.",
    "As discussed in the call.", "News from the house.", "Minutes of the day.", "Heads up!",
)  # fmt: skip
AFTER: Sequence[str] = (
    "Thanks!", "Thank you very much.", "Best regards, {who}", "Cheers", "Best,\n{who}",
    "Let me know.", "Let me know if you have any questions.", "Follow up next week.",
    "See you soon!", "Kind regards,\n{who} Kessler\nHead of Operations", "Have a nice day.",
    "Bellini & Sons, the finest pianos since 1931.", "Sent from my phone.", "To be continued.",
    "Please keep it short.", "Ask {who} about it.", "We talk about it on {day}.", "That is all.",
    "Together we build tomorrow.", "This message is for the team only.", "Status: open.",
    "Call me when you are done.", "Priority: high", "No reply needed.", "#house #todo",
)  # fmt: skip
PLAIN_BEFORE: Sequence[str] = (
    "Hi!",
    "Hello,",
    "Good morning.",
    "FYI:",
    "Hope you are well.",
    "Heads up!",
    "Hi all,",
)
PLAIN_AFTER: Sequence[str] = (
    "Thanks!",
    "Cheers",
    "Thank you very much.",
    "Let me know.",
    "See you soon!",
    "Bye",
)
_SYLLABLES = "ba do fi gra ke lo mu ne pra quo ri su ta ve zo blim frand stok wel yr".split()


@dataclass(frozen=True)
class Made:
    """Two notes, and of what kind the pair is."""

    kind: str
    old: str
    new: str


def unrelated(count: int, seed: int) -> list[Made]:
    """Two facts that have nothing to do with each other, with the same set phrases around them."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        one, other = (fill(fact, draw) for fact in draw.sample(FACTS, 2))
        kind, around = _phrases(draw)
        made.append(Made(kind, _put(one, around, draw), _put(other, around, draw)))
    return made


def fill(text: str, draw: random.Random) -> str:
    """A text with its places filled."""
    names = draw.sample(WHO, 2)
    values = {place: draw.choice(fillers) for place, fillers in FILLERS.items()}
    return text.format(**values | {"who": names[0], "other": names[1]})


def _phrases(draw: random.Random) -> tuple[str, tuple[list[str], list[str], list[str]]]:
    """Set phrases before, in the middle and after: the kind of them, and their texts."""
    kind = draw.choice(("before", "after", "both", "middle", "several", "unseen", "unseen", "all"))
    before, middle, after = list[str](), list[str](), list[str]()
    if kind in ("before", "both", "several", "all"):
        before = draw.sample(BEFORE, draw.randint(1, 2))
    if kind in ("after", "both", "several", "all"):
        after = draw.sample(AFTER, draw.randint(1, 3 if kind == "several" else 2))
    if kind in ("middle", "all"):
        middle = [draw.choice((*BEFORE, *AFTER))]
    if kind == "unseen":
        places = draw.sample((before, middle, after), draw.randint(1, 3))
        for place in places:
            place.append(_unseen(draw))
    if kind == "all":
        after.append(_unseen(draw))
    filled = [[fill(phrase, draw) for phrase in part] for part in (before, middle, after)]
    return kind, (filled[0], filled[1], filled[2])


def _unseen(draw: random.Random) -> str:
    """A sentence of words that are in no list, some of them with capitals."""
    words = [
        "".join(draw.choices(_SYLLABLES, k=draw.randint(1, 3))) for _ in range(draw.randint(1, 9))
    ]
    words = [word.capitalize() if draw.random() < 0.2 else word for word in words]
    return " ".join([words[0].capitalize(), *words[1:]]) + draw.choice((".", "!", "...", "?", ""))


def _put(fact: str, around: tuple[list[str], list[str], list[str]], draw: random.Random) -> str:
    before, middle, after = around
    sentences = fact.split("|")
    told = [*before, sentences[0], *middle, *sentences[1:], *after]
    gaps = ["\n" if part[-1] not in ".!?,:" else draw.choice(" \n") for part in told]
    return "".join(part + gap for part, gap in zip(told, gaps, strict=True)).strip()


# Each makes two names of two things that look alike.
def _letter(draw: random.Random) -> tuple[str, str]:
    """A name that differs by a letter behind a title."""
    title = draw.choice("Mrs. Mr. Ms. Dr. Prof. Mrs Mr Miss St. Rev. Capt. Sister".split())
    name = "".join(draw.choices(_SYLLABLES, k=draw.randint(2, 3))).capitalize()
    return f"{title} {name}", f"{title} {_changed(name, draw)}"


def _changed(name: str, draw: random.Random) -> str:
    at = draw.randrange(len(name))
    letter = draw.choice([c for c in "abdefgiklmnoprstuvz" if c != name[at].lower()])
    letter = letter.upper() if name[at].isupper() else letter
    kinds = (
        name[:at] + letter + name[at + 1 :],
        name[: at + 1] + letter + name[at + 1 :],
        name + "s",
    )
    return draw.choice(kinds)


def _first(draw: random.Random) -> tuple[str, str]:
    name = "".join(draw.choices(_SYLLABLES, k=2)).capitalize()
    return name, _changed(name, draw)


def _words(draw: random.Random) -> tuple[str, str]:
    """Names that are words, too."""
    pairs = (
        "Small Little;Large Big;Cook Cooks;Love Like;Price Prices;May Must;Long Longs;So Also;An A"
        ";Young Youngs;Bill Bills;Mark Marks;Case Cases;Kid Child;Close Shut;Fast Quick;Cole Coles"
        ";Rose Rise;Wells Well;Stand Stood;Five Four;Friday Monday;Winter Summer;March May"
        ";Bond Bonds;Needs Requires;Wood Woods;Fields Field;Day Days;Read Reads;West East"
    ).split(";")
    title = draw.choice("Mrs. Mr. Ms Dr.".split())
    one, other = draw.choice(pairs).split()
    return f"{title} {one}", f"{title} {other}"


def _initials(draw: random.Random) -> tuple[str, str]:
    one, other, third = draw.sample("ABCDEFGHJKLMNOPRSTW", 3)
    name = draw.choice(("Moreau", "Kessler", "Odell", "Baker"))
    return draw.choice(
        (
            (f"{one}. {name}", f"{other}. {name}"),
            (f"{one}.{third}. {name}", f"{other}.{third}. {name}"),
            (f"{one}. {third}. {name}", f"{one}. {other}. {name}"),
            (f"{one}. {name}", f"{name}"),
            (f"{one}{third} {name}", f"{one}{other} {name}"),
        )
    )


def _numbers(draw: random.Random) -> tuple[str, str]:
    number = draw.randint(2, 4000)
    other = draw.choice((number + 1, number * 10, int(f"{number}"[::-1]) + 1 + number))
    letter, next_letter = draw.sample("abcdeg", 2)
    return draw.choice(
        (
            (f"Invoice {number}", f"Invoice {other}"),
            (f"{number} Quarry Lane", f"{other} Quarry Lane"),
            (f"{number}{letter} Quarry Lane", f"{number}{next_letter} Quarry Lane"),
            (f"{number}{letter} Quarry Lane", f"{number} Quarry Lane"),
            (f"{number}A Quarry Lane", f"{number} Quarry Lane"),
            (f"Room {letter.upper()}", f"Room {next_letter.upper()}"),
            (f"No. {number} Quarry Lane", f"No. {other} Quarry Lane"),
            (f"ERR_{number}", f"ERR_{other}"),
            (f"Orion {number % 9}.{other % 9}", f"Orion {number % 9}.{other % 9 + 1}"),
            (f"Orion v{number % 9}.{other % 9}", f"Orion v{number % 9}.{other % 9}.1"),
            (f"level -{number % 9 + 1}", f"level {number % 9 + 1}"),
            (f"AB-{number}-{letter}", f"AB-{number}-{next_letter}"),
            (f"Henry {draw.choice(('IV', 'V'))}", "Henry VI"),
        )
    )


_LOOK_ALIKE: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "title": _letter,
    "first word": _first,
    "words": _words,
    "initials": _initials,
    "numbers": _numbers,
}
_ABOUT = (
    "{} rented the hall.",
    "{} was painted in spring.",
    "The parcel is for {}.",
    "We spoke about {} with the landlord.",
    "The key was given to {} by Orla.",
    "{} is on the list of guests for the opening.",
    "Orla waited for {} at the gate.",
)


def look_alikes(count: int, seed: int) -> list[Made]:
    """One fact of two things that are called nearly the same; some with set phrases around it."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        kind = draw.choice(list(_LOOK_ALIKE))
        one, other = _LOOK_ALIKE[kind](draw)
        about = draw.choice(_ABOUT)
        around = _phrases(draw)[1] if draw.random() < 0.3 else ([], [], [])
        texts = [_put(about.format(name), around, draw) for name in (one, other)]
        made.append(Made(kind, *draw.sample(texts, 2)))
    return made


def parts(count: int, seed: int) -> list[Made]:
    """Texts of several statements that have some of them in common, and each one of its own."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        shared, one, other = (fill(fact, draw) for fact in draw.sample(FACTS, 3))
        texts = [" ".join(draw.sample([shared, own], 2)) for own in (one, other)]
        made.append(Made("part", *(text.replace("|", " ") for text in texts)))
    return made


def repeats(count: int, seed: int) -> list[Made]:
    """A fact that is told again, each time with other greetings, thanks and closings around it."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        fact = fill(draw.choice(FACTS), draw)
        told = (_greeted(fact, draw) for _ in range(2))
        made.append(Made("repeat", *told))
    return made


def _greeted(fact: str, draw: random.Random) -> str:
    before: list[str] = draw.sample(PLAIN_BEFORE, draw.randint(0, 2))
    after: list[str] = draw.sample(PLAIN_AFTER, draw.randint(0, 2))
    if not before and not after:
        after = ["Thanks!"]
    return _put(fact, (before, [], after), draw)


def wrapped(old: str, new: str, seed: int) -> tuple[str, str]:
    """Two texts with the same set phrases around each."""
    draw = random.Random(seed)
    around = _phrases(draw)[1]
    return _put(old, around, draw), _put(new, around, draw)


def greeted(old: str, new: str, seed: int) -> tuple[str, str]:
    """Two texts with greetings and thanks around each."""
    draw = random.Random(seed)
    return _greeted(old, draw), _greeted(new, draw)
