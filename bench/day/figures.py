"""The figures of a half of the lives, as rows of a table, and what went wrong."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.confidence import auroc
from bench.day.lives import FREE, Life, Question
from bench.day.memory import HITS, Answer, Kept
from bench.names import key
from graphmem.domain.entities import Entity

CATEGORIES = "direct paraphrase multihop temporal latest who list".split()
SEVERAL = ("multihop", "list")  # questions with more notes than one
BINS = 10
SURE = 0.5  # an answer where there is none, as sure as that, is shown as a miss


@dataclass
class Half:
    """What the lives of a half were asked, and what went wrong."""

    lives: Sequence[Life]
    kept: Mapping[str, Kept]
    answers: Mapping[str, Answer]  # by question id; a fact's by its question
    rows: dict[str, str] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)


def share(right: int, of: int) -> str:
    """A count and how many there are, with the percentage."""
    return f"{right} of {of} ({100 * right / of:.0f} %)" if of else "none"


def count(half: Half) -> Half:
    """The same half with its rows and misses."""
    _questions(half)
    _outdated(half)
    _pairs(half)
    _facts(half)
    _graph(half)
    _confidence(half)
    return half


def _asked(half: Half) -> Iterator[tuple[Life, Question, Answer]]:
    for life in half.lives:
        for each in life.questions:
            yield life, each, half.answers[each.id]


def _questions(half: Half) -> None:
    asked = [(life, each, answer) for life, each, answer in _asked(half) if each.gold]
    sets = {"all": asked}
    sets |= {name: [a for a in asked if a[1].category == name] for name in CATEGORIES}
    sets["in German or French"] = [a for a in asked if a[1].language != "en"]
    for name, of in sets.items():
        places = [answer.place(each.gold) for _, each, answer in of]
        first, three = (sum(place < top for place in places) for top in (1, 3))
        half.rows[f"{name}: right note first; in the first three"] = (
            f"{share(first, len(of))}; {share(three, len(of))}"
        )
    several = [(each, answer) for _, each, answer in asked if each.category in SEVERAL]
    whole = sum(each.gold <= frozenset().union(*answer.hits) for each, answer in several)
    half.rows["several notes answer: all in the first ten"] = share(whole, len(several))
    for life, each, answer in asked:
        if (place := answer.place(each.gold)) > 0:
            half.misses.append(
                f"question {each.id} ({each.category}): {each.text} | {_at(place)}, "
                f"instead of {'+'.join(sorted(each.gold))}: {_hit(life, answer)}"
            )


def _at(place: int) -> str:
    return f"place {place + 1}" if place < HITS else f"not among {HITS}"


def _hit(life: Life, answer: Answer) -> str:
    ids = sorted(answer.hits[0]) if answer.hits else []
    return f"{'+'.join(ids)} {life.by_id[ids[0]].text[:80]}" if ids else "nothing"


def _outdated(half: Half) -> None:
    before = total = 0
    for life, each, answer in _asked(half):
        if (older := life.outdated.get(each.id)) is None:
            continue
        total += 1
        stale = answer.place(older) < answer.place(each.gold)
        before += stale
        if stale:
            half.misses.append(f"outdated first {each.id}: {each.text} | {_hit(life, answer)}")
    half.rows["about what changed: an outdated note first"] = share(before, total)


def _pairs(half: Half) -> None:
    fates = {"superseded": 0, "in a conflict": 0, "one note": 0}
    found = {kind: dict(fates) for kind in ("update", "alike", "either", "other")}
    total = dict.fromkeys(found, 0)
    for life in half.lives:
        own = half.kept[life.name]
        kinds = {(pair.older, pair.newer): pair for pair in life.pairs}
        for pair in life.pairs:
            total[pair.kind] += 1
        by_fate = dict(zip(fates, (own.superseded, own.conflicts, own.one_note), strict=True))
        seen = set[tuple[str, str]]()
        for fate, pairs in by_fate.items():
            for each in sorted(pairs - seen):
                kind = kinds[each].kind if each in kinds else "other"
                found[kind][fate] += 1
                if kind in ("alike", "other"):
                    half.misses.append(f"{kind}, but {fate}: {_two(life, *each)}")
            seen |= pairs
        unseen = {each for each, pair in kinds.items() if pair.kind == "update"} - seen
        half.misses += [f"update not noticed: {_two(life, *each)}" for each in sorted(unseen)]
    updates = found["update"]
    noticed = updates["superseded"] + updates["in a conflict"]
    half.rows["updates noticed"] = share(noticed, total["update"])
    names = {"update": "updates", "alike": "look-alikes", "either": "plans done", "other": "others"}
    for kind, name in names.items():
        of = f" of {total[kind]}" if total[kind] else ""
        counts = "; ".join(str(number) for number in found[kind].values())
        half.rows[f"{name}: superseded; in a conflict; one note"] = counts + of


def _two(life: Life, older: str, newer: str) -> str:
    one, other = life.by_id[older], life.by_id[newer]
    return f"{older} {one.text[:90]} | {newer} {other.text[:90]}"


def _facts(half: Half) -> None:
    first = three = total = 0
    for life in half.lives:
        for question, words in life.facts:
            answer = half.answers[question]
            assert life.transcript is not None
            place = answer.place(frozenset({life.transcript}))
            total, first, three = total + 1, first + (place < 1), three + (place < 3)
            if place > 2:
                half.misses.append(
                    f"fact ({words}): {question} | {_at(place)}, first {_hit(life, answer)}"
                )
    half.rows["facts of a transcript: it is first; in the first three"] = (
        f"{share(first, total)}; {share(three, total)}"
    )


def _graph(half: Half) -> None:
    found = kinds = extra = 0
    labels = [
        (half.kept[life.name].entities, label)
        for life in half.lives
        for label in life.labels
        if FREE not in label.kinds
    ]
    for entities, label in labels:
        named = [each for each in entities[label.note] if _named(each, label.forms)]
        found += bool(named)
        kinds += (right := any(each.type in label.kinds for each in named))
        if named and not right:
            half.misses.append(f"kind of {label.forms[0]} in {label.note}: {named[0].type}")
        if not named:
            half.misses.append(f"name missing in {label.note}: {label.forms[0]}")
    for life in half.lives:
        for note, entities in half.kept[life.name].entities.items():
            forms = {form for label in life.labels if label.note == note for form in label.forms}
            too_many = [each.name for each in entities if not _named(each, forms)]
            extra += len(too_many)
            half.misses += [f"extra name in {note}: {name}" for name in too_many]
    half.rows["names found; with their kind"] = f"{share(found, len(labels))}; {kinds}"
    half.rows["names too many, in as many notes"] = (
        f"{extra} in {sum(len(life.labelled) for life in half.lives)}"
    )
    notes = sum(len(life.notes) for life in half.lives)
    relations = sum(half.kept[life.name].relations for life in half.lives)
    half.rows["relations a note"] = f"{relations / notes:.2f}"


def _named(entity: Entity, forms: Iterable[str]) -> bool:
    names = {key(name) for name in (entity.name, *entity.aliases)}
    return not names.isdisjoint(key(form) for form in forms)


def _confidence(half: Half) -> None:
    asked = list(_asked(half))
    yes = [answer.confidence for _, each, answer in asked if each.gold]
    no = [answer.confidence for _, each, answer in asked if not each.gold]
    right = [(answer.confidence, answer.place(each.gold) == 0) for _, each, answer in asked]
    half.rows["confidence: AUC"] = f"{auroc(yes, no):.2f}"
    half.rows["confidence: expected calibration error"] = f"{calibration_error(right):.2f}"
    for life, each, answer in asked:
        if not each.gold and answer.confidence >= SURE:
            sure = f"{answer.confidence:.2f}"
            half.misses.append(f"no answer, but {sure}: {each.text} | {_hit(life, answer)}")


def calibration_error(answers: Sequence[tuple[float, bool]]) -> float:
    """The distance of confidence and share of right answers over ten equal bins, each weighted by
    its answers."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for sure, is_right in answers:
        bins[min(int(sure * BINS), BINS - 1)].append((sure, is_right))
    return sum(
        abs(sum(sure for sure, _ in each) - sum(is_right for _, is_right in each)) for each in bins
    ) / len(answers)
