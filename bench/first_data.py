"""Measures how soon each page of the dashboard shows its first data.

    python -m bench.first_data FOLDER [--user user0] [--runs 5]

A service runs on the store of the folder, which `bench.filling` can fill, and a headless Chromium
goes from page to page. Reported for each page: milliseconds from its address to the first data that
it shows, and to all, as the median and the most of the runs (the first of which is not counted),
how many requests it sent, and which of them was the slowest. The store is used as it
is: take a copy."""

import argparse
import asyncio
import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from bench.start import served
from tests.fakes.browsers import Tab, tab_on

PAGES = (
    *("overview", "ask", "remember", "notes", "graph", "entities", "knows", "inbox", "time"),
    *("agents", "jobs", "health", "settings"),
)
# What is asked on the pages that answer something.
SAMPLE = """{ notes(first: 1) { nodes { id content } } entities(first: 1) { id name } }"""
# Notes what each request asked and how long it took.
WATCH = """(() => {
    const plain = window.fetch;
    window.asked = [];
    window.fetch = async (url, options) => {
        const began = performance.now();
        const answer = await plain(url, options);
        const body = await answer.clone().text();
        const { query } = JSON.parse(options.body);
        window.asked.push([performance.now() - began, query.slice(0, 60), body.length]);
        return answer;
    };
})()"""
GO = """(async (address, page) => {
    window.asked = [];
    document.querySelector('.page')?.removeAttribute('data-ready');
    const began = performance.now();
    location.hash = address;
    const view = `.page[data-page="${page}"]`;
    const data = `${view} :is(.note, .card, table, .facts, .bars)`;
    let first = 0;
    while (!document.querySelector(`${view}[data-ready]`)) {
        await new Promise(requestAnimationFrame);
        if (!first && document.querySelector(data)) first = performance.now() - began;
    }
    const took = performance.now() - began;
    const slowest = [...window.asked].sort(([one], [other]) => other - one)[0] ?? [0, '', 0];
    const failure = document.querySelector('.page .failure')?.innerText ?? '';
    return { first: first || took, took, asked: window.asked.length, slowest, failure };
})"""


def addresses(user: str, sample: dict[str, Any]) -> dict[str, str]:
    """What is opened, by its name."""
    words = " ".join(sample["notes"]["nodes"][0]["content"].split()[:8])
    (entity,) = sample["entities"][:1] or [{"id": "", "name": ""}]
    more = {
        "ask": {"q": words},
        "notes with words": {"text": words.split()[0]},
        "a note": {"note": sample["notes"]["nodes"][0]["id"]},
        "graph of an entity": {"kind": "ENTITY", "of": entity["id"]},
        "an entity": {"id": entity["id"]},
        "knows": {"q": words},
    }
    opened = {
        "notes with words": "notes",
        "a note": "notes",
        "graph of an entity": "graph",
        "an entity": "entities",
    }
    names = [*PAGES, *opened]
    return {
        name: f"#/{opened.get(name, name)}?{urlencode({**more.get(name, {}), 'user': user})}"
        for name in names
    }


async def measure(port: int, user: str, runs: int) -> dict[str, list[dict[str, Any]]]:
    """Open each page so many times, and once before that; what each opening took."""
    found: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        url = f"http://127.0.0.1:{port}/#/settings?user={user}"
        async with tab_on(Path(folder), url) as tab:
            await tab.until("!!document.querySelector('.page[data-ready]')")
            opened = addresses(user, await ask(tab, SAMPLE))
            await tab.run(WATCH)
            for run in range(runs + 1):
                for name, address in opened.items():
                    page = address[2:].partition("?")[0]
                    told = await tab.run(f"{GO}({json.dumps(address)}, {json.dumps(page)})")
                    found.setdefault(name, []).extend([told] if run else [])
    return found


async def ask(tab: Tab, query: str) -> dict[str, Any]:
    """Ask as the page does. Raises SystemExit if that is refused."""
    asking = f"import('/dashboard/api.js').then(({{ ask }}) => ask({json.dumps(query)}))"
    answer = await tab.run(
        f"{asking}.catch((refused) => `${{refused.code}}: ${{refused.message}}`)"
    )
    if isinstance(answer, str):
        raise SystemExit(answer)
    return answer


def row(name: str, told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The figures of a page."""
    figures = {
        f"{name}_{kind}_ms": round(of([each[key] for each in told]))
        for name, key in (("first", "first"), ("all", "took"))
        for kind, of in (("median", statistics.median), ("most", max))
    }
    ms, query, length = max(each["slowest"] for each in told)
    return {
        "page": name,
        **figures,
        "requests": told[-1]["asked"],
        "slowest": f"{ms:.0f} ms, {length} bytes: {' '.join(query.split())}",
        **({"failure": told[-1]["failure"]} if told[-1]["failure"] else {}),
    }


def main(show: Callable[[str], None] = print) -> None:
    """Measure and print, one JSON line for each page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--user", default="user0")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--port", type=int, default=8396)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphmem-bench-") as folder:
        with served(Path.cwd(), given.folder, given.port, Path(folder) / "log"):
            found = asyncio.run(measure(given.port, given.user, given.runs))
        for name, told in found.items():
            show(json.dumps(row(name, told)))


if __name__ == "__main__":
    main()
