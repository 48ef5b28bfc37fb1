"""Draws the curves of a simulated year.

    python -m bench.year.curves FOLDER/year.json --out docs/images/year.svg

It needs matplotlib, which the dependency group `charts` holds.
"""

import argparse
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.year.plan import Fate

STATUSES = ("ACTIVE", "FADING", "DORMANT", "ARCHIVED", "SUPERSEDED")
SHADES = ("#1b6ca8", "#7fb2d9", "#c9d6df", "#e8e2d0", "#f3c9b5")
COLOURS = {
    Fate.USED: "#1b6ca8",
    Fate.IMPORTANT: "#2e8b57",
    Fate.SELDOM: "#c77d1e",
    Fate.UNUSED: "#777777",
}


def draw(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Draw how many notes have each status, and what questions find."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "year", "svg.fonttype": "none", "font.size": 9})
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
    days = [row["day"] for row in rows]
    heights = [[row.get(name, 0) for row in rows] for name in STATUSES]
    left.stackplot(days, heights, labels=[name.capitalize() for name in STATUSES], colors=SHADES)
    left.set(xlabel="day", ylabel="notes", title="Notes by status")
    left.legend(loc="upper left", frameon=False)
    for fate, colour in COLOURS.items():
        known = [row for row in rows if fate in row["found"]]
        shares = [100 * row["found"][fate] for row in known]
        right.plot([row["day"] for row in known], shares, color=colour, label=fate)
    kept = [100 * row["live"] / row["written"] for row in rows]
    right.plot(days, kept, ":", color="black", label="notes that are live")
    right.set(xlabel="day", ylabel="%", ylim=(0, 103), title="Needles that are found (R@10)")
    shown = right.get_legend_handles_labels()
    figure.legend(*shown, loc="outside lower center", ncols=5, frameon=False)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, metadata={"Date": None, "Creator": None})


def main() -> None:
    """Read the arguments and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("figures", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    draw(json.loads(given.figures.read_text("utf-8"))["rows"], given.out)


if __name__ == "__main__":
    main()
