"""`graphmem sync` as a stranger runs it."""

import json
from pathlib import Path

import pytest
from program import Program


@pytest.mark.feature("DAEM-23")
def test_a_folder_is_synced_alone_by_the_command(tmp_path: Path):
    program = Program(tmp_path)
    folder = tmp_path / "memories"
    folder.mkdir()
    (folder / "kiln.md").write_text("The kiln fires on Mondays.\n")
    first = program.run("sync", "memories", "--json", "--user", "mara")
    assert first.returncode == 0, first.stderr
    done = json.loads(first.stdout)
    assert (done["created"], done["changed"], done["skipped"]) == (["kiln.md"], ["kiln.md"], [])
    again = program.run("sync", "memories", "--user", "mara")
    assert (again.returncode, again.stdout) == (0, "memories: nothing to do\n")
    other = program.run("sync", "memories", "--user", "ida")
    assert other.returncode == 2  # wrong use
    assert "belongs to another user" in other.stderr
    (folder / "torn.md").write_text("---\ntitle: [\n---\n")
    torn = program.run("sync", "memories", "--user", "mara", "--dry-run")
    assert torn.returncode == 1
    assert "skipped torn.md: the front matter is not YAML" in torn.stdout
    nonsense = program.run("sync", "memories", "--watch", "--dry-run")
    assert nonsense.returncode == 2
