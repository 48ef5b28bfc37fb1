"""`graphmem backup --cold`: Neo4j's own dump of a stopped store, and its restore."""

import json
import shutil
from pathlib import Path

import pytest
from program import Program

pytestmark = pytest.mark.timeout(900)  # each command starts Java, the longer ones twice


@pytest.mark.feature("MUMA-47")
def test_a_dump_of_a_stopped_store_is_restored_into_an_empty_folder(tmp_path: Path):
    program = Program(tmp_path)
    data = tmp_path / "data"
    nothing = program.run("backup", "--cold", "full.dump")
    assert nothing.returncode != 0
    assert "there is no graph" in nothing.stderr
    assert not list(tmp_path.glob("full.dump*"))

    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "kiln.md").write_text("The kiln fires on Mondays.\n")
    assert program.run("sync", "memories").returncode == 0
    made = program.run("backup", "--cold", "full.dump", "--json")
    assert made.returncode == 0, made.stderr
    dump = tmp_path / "full.dump"
    assert json.loads(made.stdout) == {"file": "full.dump", "bytes": dump.stat().st_size}
    assert dump.stat().st_mode & 0o777 == 0o600
    whole = program.run("verify", "full.dump")
    assert (whole.returncode, whole.stdout) == (0, "full.dump: a dump of Neo4j\n  it is whole\n")

    full = program.run("restore", "full.dump")
    assert full.returncode != 0
    assert "there is a graph" in full.stderr

    cut = tmp_path / "cut.dump"
    cut.write_bytes(dump.read_bytes()[:-1000])
    shutil.rmtree(data)
    broken = program.run("restore", "cut.dump")
    assert broken.returncode != 0
    assert "cut.dump can't be unpacked" in broken.stderr
    assert str(tmp_path) not in broken.stderr
    assert not (data / "neo4j" / "data" / "databases").exists()
    assert not (data / "restoring").exists()

    restored = program.run("restore", "full.dump", "--json")
    assert restored.returncode == 0, restored.stderr
    assert json.loads(restored.stdout) == {"notes": 1, "found": []}
    same = program.run("sync", "memories")
    assert (same.returncode, same.stdout) == (0, "memories: nothing to do\n")


def test_options_that_do_not_go_with_a_dump(tmp_path: Path):
    program = Program(tmp_path)
    elsewhere = program.run("backup", "--cold", "x", "--neo4j", "bolt://127.0.0.1:9")
    assert elsewhere.returncode != 0
    assert "dumps are of a data folder" in elsewhere.stderr
    assert program.run("backup", "--cold", "x", "--no-embeddings").returncode == 2
    assert not list(tmp_path.glob("x*"))
