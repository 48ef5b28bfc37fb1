"""The guide of Neo4j Browser: its slides, and the copy of Browser's jar that serves it."""

import html
import re
import zipfile
from pathlib import Path

import pytest

from graphmem.server import browser_guide
from graphmem.server.browser_guide import ENTRY, ensure_browser, guide

FOLDER = Path(__file__).parents[2] / "examples" / "browser"
CODE = re.compile(r'<pre class="pre-scrollable code runnable">(.*?)</pre>', re.DOTALL)


def test_each_question_has_a_slide_with_all_that_is_in_its_file() -> None:
    slides = re.findall(r"<slide[^>]*>(.*?)</slide>", guide(), re.DOTALL)
    files = sorted(FOLDER.glob("*.cypher"))
    assert len(slides) == len(files) + 2
    for slide, file in zip(slides[2:], files, strict=True):
        head, _, rest = file.read_text("utf-8").partition("\n")
        title = html.unescape(re.findall("<h3>(.*?)</h3>", slide)[0])
        assert head.startswith(f"// {title}")
        code = "\n".join(map(html.unescape, CODE.findall(slide)))
        assert code.split() == rest.split()


def test_nothing_in_the_guide_is_loaded_from_elsewhere_or_runs_by_itself() -> None:
    shown = re.sub(CODE, "", guide())
    assert not re.search(r"https?:|src=|href=|<script|<style|\son\w+=", shown)


def test_the_jar_is_copied_once_and_the_first_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "browser-1.0-abc"
    plain.mkdir(mode=0o700)
    with zipfile.ZipFile(plain / "browser.jar", "w") as jar:
        jar.writestr("browser/index.html", "<html>")
    before = (plain / "browser.jar").read_bytes()
    monkeypatch.setattr(browser_guide, "ensure_jars", lambda *_: plain)
    made = ensure_browser(tmp_path)
    with zipfile.ZipFile(made / "browser.jar") as jar:
        assert jar.namelist() == ["browser/index.html", ENTRY]
        assert jar.read(ENTRY).decode() == guide()
    assert (plain / "browser.jar").read_bytes() == before
    stamp = made.stat().st_mtime_ns
    assert ensure_browser(tmp_path) == made
    assert made.stat().st_mtime_ns == stamp
    assert sorted(each.name for each in tmp_path.iterdir()) == [plain.name, made.name]
