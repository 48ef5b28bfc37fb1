"""Variables that no setting reads are told, with the one that was most likely meant."""

import random
import re
from pathlib import Path

import pytest

from graphmem.cli import options
from graphmem.cli.variables import OTHERS, known_variables, unknown_variables

KNOWN = sorted(each for each in known_variables() if each.startswith("GRAPHMEM_"))
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in KNOWN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.mark.parametrize("name", KNOWN)
def test_no_known_one_is_told_and_a_slip_in_it_is(name: str, monkeypatch: pytest.MonkeyPatch):
    before = unknown_variables()
    monkeypatch.setenv(name, "1") if name != OTHERS[0] else None
    assert unknown_variables() == before
    rng = random.Random(name)
    place = rng.randrange(len("GRAPHMEM_"), len(name))
    for slip in (name[:place] + name[place + 1 :], name[:place] + "X" + name[place:]):
        if slip not in KNOWN:
            monkeypatch.setenv(slip, "1")
            assert unknown_variables()[slip] is not None, slip


def test_what_the_page_of_settings_names_is_known():
    named = set(re.findall(r"^\| `(GRAPHMEM_[A-Z0-9_]+)`", PAGE.read_text("utf-8"), re.MULTILINE))
    assert len(named) > 50
    assert named <= set(KNOWN)


def test_the_file_of_settings_is_looked_at_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "graphmem"
    folder.mkdir()
    (folder / "settings.env").write_text("GRAPHMEM_PROT=1\nOTHER=x\nGRAPHMEM_PORT=8322\n")
    monkeypatch.setenv("GRAPHMEM_ACT_R__THRESHOLD__WORKER", "5")
    monkeypatch.setenv("GRAPHMEM_TEST_CHROMIUM", "/x")
    monkeypatch.setenv("GRAPHMEM_ZZZZZZ", "1")
    told = {"GRAPHMEM_PROT": "GRAPHMEM_PORT", "GRAPHMEM_ZZZZZZ": None}
    assert unknown_variables() == told
    monkeypatch.delenv("GRAPHMEM_ACT_R__THRESHOLD__WORKER")
    options.settings_of()
    assert "GRAPHMEM_PROT" in "".join(capsys.readouterr())
