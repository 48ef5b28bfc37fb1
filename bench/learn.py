"""Learns the last stage of recall from questions whose answers are known.

    python -m bench.learn --data DIR --store DIR [--sets a,b] [--weights a=3,b=2] [--write]
    python -m bench.learn --own QUESTIONS --store DIR [--write]

`--data` is a folder of benchmarks as `bench/benchmarks.py` describes them, several separated by
commas; `--store` a data folder, which is filled first unless the notes are there. `--own` is a file
of questions to the memory that is in the store already, one a line: `user`, `question` and `gold`
(ids or external ids of the notes that answer it).

Recall is asked for the first notes of each question and what their features are. The curves are
those under which the notes that answer are likeliest to be chosen (a softmax over the notes of a
question), with as few rises as possible (L1). The curve of a feature that speaks for a note never
falls. The curves are tried on what they did not learn from: on other users where a set has three or
more, else on other questions. `--write` puts curves learned from all questions into graphmem. It
needs the extra `graphmem[learn]`; the service does not."""

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from bench.benchmarks import Asked, Benchmark, ask, open_set, open_store, sets_in, share
from graphmem.domain.reranking import FILE, FIRST, Curve, Reranking, parse_curves
from graphmem.services.actors import open_access
from graphmem.services.context import Context
from graphmem.services.recall.request import RecallRequest

FOLDS = 3
L1 = 5e-3  # price of a rise
L2 = 1e-4
LEAST = 0.03  # a curve that does not differ by more is left out
PLACE = "place"  # the part by which a note is found again in an answer


class Feature(NamedTuple):
    """How many straight lines the curve of a feature may have, and why it should help."""

    lines: int
    why: str
    rises: bool = True  # its curve; else it falls


_OWN: Mapping[str, Feature] = {  # curves of their own for turns of each kind and other notes
    "walk": Feature(3, "what the walk through the graph gave, beside the best note"),
    "rank": Feature(3, "the place that the walk gave, where its shares hardly differ"),
    "meaning": Feature(2, "the note's cosine with the question, beside the highest"),
    "words": Feature(2, "the question's words in the note itself, the rare ones count more"),
    "keyword": Feature(2, "the same with the notes around it, where words match at all"),
    "fresh": Feature(1, "the words of the question that the five best notes lack"),
}
FEATURES: Mapping[str, Feature] = {
    **{f"alone.{name}": each for name, each in _OWN.items() if name != "words"},
    **{f"turn.{name}": each for name, each in _OWN.items()},
    **{f"chat.{name}": each for name, each in _OWN.items()},  # with an assistant
    "title asked": Feature(1, "a title that the question has is what it is about"),
    "title named": Feature(1, "one of the two best notes names it: the next step of a path"),
    "episode": Feature(2, "an episode that is asked for has several notes that fit"),
    "episode's best": Feature(2, "what is said beside a good note is about the same"),
    "before": Feature(2, "the answer follows the note that has the question's words"),
    "answers": Feature(1, "what follows a question is an answer"),
    "answers the words": Feature(1, "most of all when it was this question"),
    "asks": Feature(1, "a note that asks seldom tells", rises=False),
    "other speaker": Feature(
        1, "who is named in the question is who said it, not the other", rises=False
    ),
    "dated": Feature(1, "what happened is told with its time"),
    "dated, when asked": Feature(1, "and a time is what a question with 'when' wants"),
    "first person": Feature(1, "who says 'I' tells of themself, not of the weather"),
    "names": Feature(1, "who names persons, places and works says something of them"),
    "chat.episode's best": Feature(2, "what is said next to a good note is about the same"),
    "chat.dated": Feature(1, "what happened is told with its time"),
    "reply": Feature(
        1, "an assistant repeats what its user told, who is the one to know it", rises=False
    ),
}


@dataclass(frozen=True)
class Recorder(Reranking):
    """Keeps the features of an answer and leaves its order as it is."""

    curves: Mapping[str, Curve] = field(default_factory=dict)
    seen: list[Mapping[str, float]] = field(default_factory=list)

    def scores(
        self, notes: Sequence[Mapping[str, float]], best: float
    ) -> list[tuple[tuple[str, float], ...]]:
        """A part that tells the place."""
        self.seen[:] = notes
        return [((PLACE, 1 - place / FIRST),) for place in range(len(notes))]


@dataclass(frozen=True)
class Example:
    """A question with the features of the notes that it found."""

    benchmark: str
    asked: Asked
    ids: tuple[str | None, ...]  # in the order without the last stage; external ids
    features: np.ndarray  # a row a note, a column a feature; NaN: it has no such
    fold: int

    @property
    def answers(self) -> np.ndarray:
        """1 for each note that answers the question."""
        return np.array([float(i in self.asked.gold) for i in self.ids])


async def collect(context: Context, given: Benchmark) -> list[Example]:
    """The questions of a set with what was found for them."""
    users = sorted(given.access)
    examples = []
    for number, asked in enumerate(given.questions):
        recorder = Recorder()
        tried = replace(context, balanced=replace(context.balanced, reranking=recorder))
        question = RecallRequest(query=asked.text, k=FIRST, track=False, filter=asked.filter)
        answer = await ask(tried, given.access[asked.user], question)
        placed = dict[int, str | None]()
        for hit in answer.hits:
            place = dict(hit.why.summands if hit.why else ()).get(PLACE)
            if place is not None:
                own = {hit.note.id, hit.note.external_id}
                chosen = next(iter(own & asked.gold), hit.note.external_id or hit.note.id)
                placed[round((1 - place) * FIRST)] = chosen
        rows = [[seen.get(name, np.nan) for name in FEATURES] for seen in recorder.seen]
        examples.append(
            Example(
                benchmark=given.name,
                asked=asked,
                ids=tuple(placed.get(place) for place in range(len(rows))),
                features=np.array(rows).reshape(-1, len(FEATURES)),
                fold=(users.index(asked.user) if len(users) >= FOLDS else number) % FOLDS,
            )
        )
    return examples


def _steps(features: np.ndarray) -> np.ndarray:
    """How far each note is along each line of each curve, 0..1: a column a line."""
    columns = []
    for column, feature in enumerate(FEATURES.values()):
        along = np.clip(features[:, column], 0, 1) * feature.lines
        columns += [np.clip(along - line, 0, 1) for line in range(feature.lines)]
    return np.stack(columns, axis=1)


def learn(
    examples: Sequence[Example], weights: Mapping[str, float], without: str | None = None
) -> Reranking:
    """The curves that make the answers of these questions likeliest. Raises ValueError when none
    of a set with weight was found an answer."""
    used = [each for each in examples if weights.get(each.benchmark, 1) > 0 and each.answers.any()]
    if not used:
        raise ValueError("no question has an answer among what recall found")
    steps = _steps(np.vstack([each.features for each in used]))
    lines = [name for name, feature in FEATURES.items() for _ in range(feature.lines)]
    steps[:, [name == without for name in lines]] = np.nan
    some = ~np.isnan(steps)
    mean = np.where(some, steps, 0).sum(0) / np.maximum(some.sum(0), 1)
    given = np.where(some, steps - mean, 0.0)
    sizes = [len(each.ids) for each in used]
    starts = np.cumsum([0, *sizes])[:-1]
    of = np.repeat(np.arange(len(used)), sizes)
    weight = np.array([weights.get(each.benchmark, 1.0) for each in used])
    wanted = np.concatenate(
        [w * each.answers / each.answers.sum() for w, each in zip(weight, used, strict=True)]
    )
    total = weight.sum()

    signs = np.array([1 if FEATURES[name].rises else -1 for name in lines])

    def loss(sizes: np.ndarray) -> tuple[float, np.ndarray]:
        slopes = signs * sizes
        score = given @ slopes
        score -= np.maximum.reduceat(score, starts)[of]
        chance = np.exp(score)
        together = np.add.reduceat(chance, starts)
        value = (weight @ np.log(together) - wanted @ score) / total
        slope = given.T @ (chance / together[of] * weight[of] - wanted) / total
        return (
            value + L1 * sizes.sum() + L2 * sizes @ sizes,
            signs * slope + L1 + 2 * L2 * sizes,
        )

    bounds = [(0, None)] * len(lines)
    found = minimize(loss, np.zeros(len(lines)), jac=True, method="L-BFGS-B", bounds=bounds)
    slopes = signs * found.x
    curves = dict[str, Curve]()
    for name in FEATURES:
        own = [line for line, of_line in enumerate(lines) if of_line == name]
        values = np.concatenate([[0.0], np.cumsum(slopes[own])]) - mean[own] @ slopes[own]
        if values.max() - values.min() > LEAST:
            values = _simple(values)
            curves[name] = Curve(tuple(round(float(value), 2) for value in values))
    return Reranking(curves)


def _simple(values: np.ndarray) -> np.ndarray:
    """One line where several are one."""
    straight = np.linspace(values[0], values[-1], len(values))
    return values[[0, -1]] if np.abs(values - straight).max() < LEAST else values


def set_weights(examples: Sequence[Example], given: Mapping[str, float]) -> dict[str, float]:
    """What a question of each set counts: one of a set of n questions as the root of 100 / n, so
    that large sets don't decide alone, times the given weight of the set."""
    counts = Counter(each.benchmark for each in examples)
    return {name: given.get(name, 1.0) * (100 / n) ** 0.5 for name, n in counts.items()}


def left_out(examples: Sequence[Example], weights: Mapping[str, float]) -> list[list[float]]:
    """R@5 and R@10 of each question by curves that were learned without its set."""
    by_set = dict[str, Reranking]()
    found = list[list[float]]()
    for each in examples:
        if (name := each.benchmark) not in by_set:
            by_set[name] = learn([other for other in examples if other.benchmark != name], weights)
        found += shares([each], dict.fromkeys(range(FOLDS), by_set[name]))
    return found


def shares(
    examples: Sequence[Example], curves: Mapping[int, Reranking] | None
) -> list[list[float]]:
    """R@5 and R@10 of each question, by the curves of its fold; None: as it is without them."""
    found = []
    for each in examples:
        ids: list[str | None] = list(each.ids)
        if curves is not None:
            notes = [
                {n: float(x) for n, x in zip(FEATURES, row, strict=True) if not np.isnan(x)}
                for row in each.features
            ]
            sums = [sum(value for _, value in curves[each.fold].parts(note)) for note in notes]
            order = sorted(range(len(ids)), key=lambda place: (-sums[place], place))
            ids = [each.ids[place] for place in order]
        found.append([share(ids, each.asked.gold, k) for k in (5, 10)])
    return found


def crossed(
    examples: Sequence[Example], weights: Mapping[str, float], without: str | None = None
) -> dict[int, Reranking]:
    """By fold the curves that were learned from the other folds."""
    return {
        fold: learn([each for each in examples if each.fold != fold], weights, without)
        for fold in range(FOLDS)
    }


def table(examples: Sequence[Example], found: Sequence[Sequence[float]]) -> str:
    """R@5 / R@10 of each set in percent."""
    sets = defaultdict[str, list[Sequence[float]]](list)
    for each, values in zip(examples, found, strict=True):
        sets[each.benchmark].append(values)
    return "".join(
        f"{'/'.join(f'{100 * fmean(part):.1f}' for part in zip(*values, strict=True)):>14}"
        for values in sets.values()
    )


def by_category(examples: Sequence[Example], found: Sequence[Sequence[float]]) -> str:
    """R@10 by category of question and by fold."""
    groups = defaultdict[str, list[float]](list)
    for each, (_, at_10) in zip(examples, found, strict=True):
        groups[f"{each.benchmark} {each.asked.category}"].append(at_10)
        groups[f"{each.benchmark} fold {each.fold}"].append(at_10)
    return "\n".join(f"  {name:<32}{100 * fmean(groups[name]):6.1f}" for name in sorted(groups))


def text_of(curves: Reranking, source: str) -> str:
    """The file of the curves."""
    numbers = sum(len(curve.values) for curve in curves.curves.values())
    lines = [
        "# The last stage of BALANCED: what each feature of a note adds to its score, before all",
        "# is scaled to the score of the best. `values` stand at equal steps from 0 to 1 of the",
        "# feature, with straight lines between; a note without the feature gets 0.",
        f"# {numbers} numbers, written by bench/learn.py; chosen by {source}.",
    ]
    for name, curve in curves.curves.items():
        values = ", ".join(f"{value:g}" for value in curve.values)
        lines += ["", f'["{name}"]', f'why = "{FEATURES[name].why}"', f"values = [{values}]"]
    return "\n".join(lines) + "\n"


def _own_questions(path: Path) -> tuple[Asked, ...]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return tuple(Asked(row["user"], row["question"], frozenset(row["gold"]), "own") for row in rows)


async def collected(given: argparse.Namespace) -> list[Example]:
    """The examples that the command line names."""
    examples: list[Example] = []
    async with open_store(given.store) as context:
        if given.own:
            asked = _own_questions(given.own)
            users = dict.fromkeys(each.user for each in asked)
            access = {user: await open_access(context, user, None) for user in users}
            examples += await collect(context, Benchmark("own", asked, access))
        for folder in map(Path, filter(None, given.data.split(","))):
            for name in sets_in(folder):
                if not given.sets or name in given.sets.split(","):
                    examples += await collect(context, await open_set(context, folder, name))
    return examples


def _weights(text: str) -> dict[str, float]:
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    return {name: float(value) for name, _, value in pairs}


def report(examples: Sequence[Example], given: argparse.Namespace) -> None:
    """Learn, try, say what is found, and write it if told to."""
    weights = set_weights(examples, _weights(given.weights))
    names = list(dict.fromkeys(each.benchmark for each in examples))
    print(f"{'R@5/R@10':<24}" + "".join(f"{name:>14}" for name in names))
    before, tried = shares(examples, None), shares(examples, crossed(examples, weights))
    learned = learn(examples, weights)
    known = shares(examples, dict.fromkeys(range(FOLDS), learned))
    rows = {"without": before, "tried on others": tried, "on what it learned": known}
    if given.leave_out:
        rows["learned without the set"] = left_out(examples, weights)
    for name, found in rows.items():
        print(f"{name:<24}{table(examples, found)}", flush=True)
    for name in learned.curves if given.ablation else ():
        less = shares(examples, crossed(examples, weights, name))
        print(f"- {name:<22}{table(examples, less)}", flush=True)
    for name in ("without", "tried on others") if given.categories else ():
        print(f"{name}:\n{by_category(examples, rows[name])}")
    used = [name for name in names if weights.get(name, 1.0) > 0]
    counts = Counter(each.benchmark for each in examples)
    text = text_of(learned, ", ".join(f"{counts[name]} questions of {name}" for name in used))
    target = Path(str(files("graphmem.domain") / FILE))
    was = parse_curves(target.read_text(encoding="utf-8")).curves if target.exists() else {}
    for name in dict.fromkeys([*was, *learned.curves]):
        old, new = was.get(name), learned.curves.get(name)
        if old != new:
            print(f"{name}: {old and list(old.values)} → {new and list(new.values)}")
    if given.write:
        target.write_text(text, encoding="utf-8")
    print(text)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", default="", help="folders, separated by commas")
    parser.add_argument("--own", type=Path, help="a file of questions to what is in the store")
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--sets", default="", help="separated by commas; all that there are")
    parser.add_argument("--weights", default="", help="of sets, such as hotpot=3")
    parser.add_argument("--categories", action="store_true")
    parser.add_argument("--leave-out", action="store_true", help="try each set by the others, too")
    parser.add_argument("--ablation", action="store_true", help="leave each feature out, too")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    report(asyncio.run(collected(given)), given)


if __name__ == "__main__":
    main()
