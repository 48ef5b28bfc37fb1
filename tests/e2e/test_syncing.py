"""`graphmem sync` as a stranger runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

START_S = 180


class Program:
    """graphmem with a folder of its own, and nothing that runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GRAPHMEM_")}
        given = kept | {
            "GRAPHMEM_DATA": str(self.folder / "data"),
            "GRAPHMEM_EMBEDDER": "hash",
            "GRAPHMEM_EXTRACTOR": "rules",
            "GRAPHMEM_NEO4J_HEAP": "512m",
            "GRAPHMEM_NEO4J_PAGE_CACHE": "64m",
            "GRAPHMEM_AOT_CACHE": "false",
        }
        return subprocess.run(
            [sys.executable, "-m", "graphmem", *words],
            cwd=self.folder,
            env=given,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )


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
