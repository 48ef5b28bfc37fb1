"""The guide of Neo4j Browser, `:play graphmem`: what is what in the graph, and the questions of
`examples/browser` to click. The server of Browser serves it, from a copy of Browser's jar."""

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

from graphmem.resources import folder
from graphmem.server.artifacts import locked
from graphmem.server.cache import require_own_folder
from graphmem.server.jars import WORK_PREFIX, ensure_jars, publish

ENTRY: Final = "browser/guides/graphmem"  # of the jar; what stands below browser/ is served
_PARAM: Final = re.compile(r"^:param .*$", re.MULTILINE)
_LABELS: Final = (
    ("Note", "one piece of memory; <code>:Skill</code> and <code>:Knowledge</code> are a team's"),
    ("Entity", "what notes are about: <code>(:Note)-[:MENTIONS]-&gt;(:Entity)</code>"),
    ("Topic", "what is known about, by <code>(:Agent|User)-[:KNOWS_ABOUT]-&gt;(:Topic)</code>"),
    ("User, Agent, Team", "whose memory it is, and who reads and writes it"),
    ("Audience", "who may read a note; all notes with the same readers share one"),
    ("System", "what the service keeps for itself; <code>WHERE NOT n:System</code> leaves it out"),
)


def ensure_browser(cache_dir: Path) -> Path:
    """Return the folder of the cache with the jar of Browser that has the guide, made if it is
    missing. Raises Misconfigured as `ensure_jars` does."""
    plain, text = ensure_jars(cache_dir, locked("browser")), guide()
    target = cache_dir / f"{plain.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    if not target.is_dir():
        work = Path(tempfile.mkdtemp(prefix=WORK_PREFIX, dir=cache_dir))
        try:
            shutil.copytree(plain, work / "jars")
            (jar,) = (work / "jars").glob("*.jar")
            with zipfile.ZipFile(jar, "a", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(ENTRY, text)
            publish(work / "jars", target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    require_own_folder(target)
    return target


def host_of_guide(port: int) -> str:
    """Return the address below which Browser finds the guide by its name."""
    return f"http://127.0.0.1:{port}/{ENTRY.rpartition('/')[0]}"


@cache
def guide() -> str:
    """Return the guide in the form of Neo4j Browser: slides, with code that a click runs."""
    slides = "".join(f'<slide class="row-fluid">{each}</slide>' for each in _slides())
    return (
        '<article class="guide"><carousel class="deck container-fluid">'
        f"{slides}</carousel></article>"
    )


def _slides() -> Iterator[str]:
    rows = "".join(f"<tr><th>{label}</th><td>{what}</td></tr>" for label, what in _LABELS)
    yield _slide(
        "The graph of graphmem",
        "<p>Questions come on the next slides. A click puts what is in a box into the "
        "editor, and the editor's arrow runs it. Where there is a box with <code>:param</code>, "
        "which says what the question is about, run that first.</p>"
        f"<table>{rows}</table>",
    )
    style = (folder("examples") / "browser" / "graphmem.grass").read_text(encoding="utf-8")
    what = "<p>Run this to draw people green, notes yellow, and entities blue.</p>"
    yield _slide("Colours", what + _code(f":style {style.strip()}"))
    files = (folder("examples") / "browser").iterdir()
    for file in sorted(files, key=lambda each: each.name):
        if file.name.endswith(".cypher"):
            yield _question(file.read_text(encoding="utf-8"))


def _question(text: str) -> str:
    head, _, rest = text.partition("\n")
    question, _, more = head.removeprefix("//").strip().partition("?")
    params = "\n".join(_PARAM.findall(rest))
    blocks = (params, _PARAM.sub("", rest).strip())
    return _slide(f"{question}?", f"<p>{escape(more.strip())}</p>" + "".join(map(_code, blocks)))


def _slide(title: str, inside: str) -> str:
    return f'<div class="col-sm-12"><h3>{escape(title)}</h3>{inside}</div>'


def _code(text: str) -> str:
    """Return code that a click puts into the editor; nothing for none."""
    return f'<pre class="pre-scrollable code runnable">{escape(text)}</pre>' if text else ""
