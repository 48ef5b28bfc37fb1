"""Build all that is published into dist/, and look whether a second build gives the same bytes.

`python scripts/build_wheels.py`: wheels and source archives of graphmem, of the weights of its
default model and of its client. The time in them is SOURCE_DATE_EPOCH, else that of the last
commit."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "dist"
PACKAGES: Final = (ROOT, ROOT / "packages/graphmem-weights", ROOT / "packages/graphmem-client")
BUILD_S: Final = 600


def main() -> int:
    """Return 0 if all were built, twice the same."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", _time_of_last_commit())
    for prepare in (package / "prepare.py" for package in PACKAGES):
        if prepare.is_file():
            subprocess.run([sys.executable, str(prepare)], check=True, timeout=BUILD_S)
    with tempfile.TemporaryDirectory() as work:
        first, second = (_build(Path(work) / each) for each in ("first", "second"))
        differing = sorted(name for name in first if first[name] != second.get(name))
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    for name, content in first.items():
        (DIST / name).write_bytes(content)
        print(f"{name}: {len(content) / 1e6:.1f} MB")
    print("second build: " + (f"differs: {', '.join(differing)}" if differing else "the same"))
    return 1 if differing else 0


def _build(folder: Path) -> dict[str, bytes]:
    """Build each package into a folder; return the content of each file by its name."""
    for package in PACKAGES:
        build = [sys.executable, "-m", "build", "--no-isolation", "-o", str(folder), str(package)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL, timeout=BUILD_S)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _time_of_last_commit() -> str:
    log = ["git", "log", "-1", "--format=%ct"]
    told = subprocess.run(log, cwd=ROOT, check=True, capture_output=True, text=True, timeout=60)
    return told.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
