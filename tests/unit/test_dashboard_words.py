"""The parts of the dashboard that need no page, run by node: differences, times of jobs, CSV,
places in a picture."""

import json
from pathlib import Path
from typing import Any

from node import needs_node, run_program

import graphmem.api.dashboard

FOLDER = Path(graphmem.api.dashboard.__file__).with_name("dashboard_page")

pytestmark = needs_node


async def value_of(module: str, expression: str, folder: Path) -> Any:
    """The value of an expression over what a module exports."""
    copy = folder / "module.mjs"  # node takes a file of this ending for a module
    copy.write_text((FOLDER / module).read_text(encoding="utf-8"), encoding="utf-8")
    script = f"import * as m from './module.mjs'; console.log(JSON.stringify({expression}))"
    return json.loads(await run_program(folder, "node", "--input-type=module", "-e", script))


async def test_a_difference_tells_both_texts_again(tmp_path: Path) -> None:
    pairs = [
        ("It ships on 3 May 2026.", "It ships on 9 June 2026."),
        ("", "All is new."),
        ("All is gone.", ""),
        ("The same.", "The same."),
        ("a b c d e", "c d x e a"),
        ("one two one two", "two one"),
        ("word " * 2000, "other " * 2000),
    ]
    found = await value_of(
        "difference.js",
        f"{json.dumps(pairs)}.map(([one, other]) => m.changesOf(m.words(one), m.words(other)))",
        tmp_path,
    )
    for (before, after), pieces in zip(pairs, found, strict=True):
        assert "".join(p["text"] for p in pieces if p["kind"] != "come") == before
        assert "".join(p["text"] for p in pieces if p["kind"] != "gone") == after
    assert [p["text"] for p in found[0] if p["kind"] == "gone"] == ["3 May "]
    assert [p["kind"] for p in found[3]] == ["same"]


async def test_times_of_jobs_are_told_in_words(tmp_path: Path) -> None:
    told = {
        "* * * * *": "every minute",
        "*/5 * * * *": "every 5 minutes",
        "20 * * * *": "every hour at 20 past",
        "0 2 * * *": "every day at 02:00",
        "0 4 * * sun": "every Sunday at 04:00",
        "30 1 15 * *": "on day 15 of each month at 01:30",
        "0 0 1 1 *": "0 0 1 1 *",
        "0 9-17 * * *": "0 9-17 * * *",
        "nonsense": "nonsense",
    }
    found = await value_of("pages/times.js", f"{json.dumps(list(told))}.map(m.inWords)", tmp_path)
    assert dict(zip(told, found, strict=True)) == told


async def test_a_cell_of_csv_is_no_formula_and_ends_where_it_should(tmp_path: Path) -> None:
    rows = [{"title": 'He said "no", twice\nand left', "content": "=1+1"}, {"title": None}]
    text = await value_of("csv.js", f"m.csv({json.dumps(rows)})", tmp_path)
    assert text == ('\ufefftitle,content\r\n"He said ""no"", twice\nand left","\'=1+1"\r\n"",""')


async def test_no_sign_begins_a_formula_in_csv(tmp_path: Path) -> None:
    told = {
        **{f"{sign}1": f"'{sign}1" for sign in "=+-@\uff1d\uff0b\uff0d\uff20"},
        "a;=1;b; -2": "a;'=1;b;' -2",
        " =1": "' =1",
        "\t1": "'\t1",
        "a = b - c; d": "a = b - c; d",
    }
    rows = [{"x": each} for each in told]
    text = await value_of("csv.js", f"m.csv({json.dumps(rows)})", tmp_path)
    assert text.removeprefix("\ufeff").split("\r\n")[1:] == [f'"{each}"' for each in told.values()]


async def test_numbers_and_notes_are_told_in_few_words(tmp_path: Path) -> None:
    expression = (
        "[m.many(1, 'note'), m.many(1234, 'note'), m.bytes(0), m.bytes(1500), m.bytes(178900),"
        " m.plain('SHORT_TERM'), m.titleOf({title: '', content: ' a\\n b '}),"
        " m.titleOf({title: 'x'.repeat(100)}, 10), m.titleOf({}),"
        " m.ago('2026-01-01T00:00:00Z', Date.parse('2026-01-03T01:00:00Z'))]"
    )
    assert await value_of("words.js", expression, tmp_path) == [
        *("1 note", "1,234 notes", "0 B", "1.5 kB", "179 kB"),
        *("short term", "a b", f"{'x' * 9}…", "(no text)", "2 days ago"),
    ]


async def test_places_in_a_picture_are_within_it_apart_and_the_same_each_time(
    tmp_path: Path,
) -> None:
    nodes = [{"hops": min(i, 2)} for i in range(60)]
    edges = [{"source": 0, "target": i} for i in range(1, 60)] + [{"source": 3, "target": 3}]
    call = f"m.placed({json.dumps(nodes)}, {json.dumps(edges)}, 360, 400)"
    one, other, alone = await value_of(
        "graph/forces.js", f"[{call}, {call}, m.placed([{{ hops: 0 }}], [], 360, 400)]", tmp_path
    )
    assert one == other
    assert all(0 < each["x"] < 360 and 0 < each["y"] < 400 for each in one)
    assert len({(round(each["x"]), round(each["y"])) for each in one}) > 55
    assert alone == [{"x": 180, "y": 200}]
