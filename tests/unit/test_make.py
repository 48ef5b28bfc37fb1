"""What `make` offers to developers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from serve_anew import state_of  # noqa: E402


@pytest.mark.feature("DAEM-43")
@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("dev", "scripts/serve_anew.py"),
        ("quick", "pytest .*tests/unit"),
        ("test", 'pytest .*-m "not long"'),
        ("test-long", "pytest .*-m long"),
        ("wheels", "scripts/build_wheels.py"),
    ],
)
def test_each_target_is_there_and_runs_its_command(target: str, command: str) -> None:
    """Told, not done: the checks themselves run them."""
    if (make := shutil.which("make")) is None:
        pytest.skip("needs make")
    told = subprocess.run(
        [make, "--no-print-directory", "-n", target],
        cwd=ROOT,
        env=os.environ | {"MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert told.returncode == 0, told.stderr
    assert command.split(".*")[0] in told.stdout
    assert command.split(".*")[-1] in told.stdout


@pytest.mark.feature("DAEM-43")
def test_watch_mode_sees_a_file_that_changes_comes_or_goes(tmp_path: Path) -> None:
    program, query = tmp_path / "graphmem" / "app.py", tmp_path / "cypher" / "notes" / "get.cypher"
    for path in (program, query):
        path.parent.mkdir(parents=True)
        path.write_text("one")
    states = [state_of(tmp_path)]
    os.utime(program, ns=(1, 1))
    states.append(state_of(tmp_path))
    (program.parent / "new.py").write_text("")
    states.append(state_of(tmp_path))
    query.unlink()
    states.append(state_of(tmp_path))
    (tmp_path / "notes.txt").write_text("not of the program")
    assert [len(state) for state in states] == [2, 2, 3, 2]
    assert len({tuple(sorted(state.items())) for state in states}) == 4
    assert state_of(tmp_path) == states[-1]
