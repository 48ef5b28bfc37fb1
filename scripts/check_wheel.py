"""Builds the wheel and looks, in an environment that has no checkout, whether all of it is there.

Dependencies are borrowed from the environment that runs this; graphmem itself is not."""

import json
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = re.compile("torch|sentence-transformers|gt-")  # PyTorch, and what asks for it
PROBE = """
import graphmem, json
from importlib.metadata import requires
from graphmem.ai.minilm import load
from graphmem.api.dashboard import page_files
from graphmem.api.graphiql import form_of
from graphmem.api.schema import sdl
from graphmem.resources import folder
from graphmem.store.migrations import load_migrations
from graphmem.store.queries import Queries
print(json.dumps({
    "where": graphmem.__file__,
    "queries": sorted(Queries(folder("cypher"), folder("jobs")).names),
    "migrations": [m.name for m in load_migrations(folder("schema") / "migrations")],
    "sdl": sdl() == (folder("schema") / "schema.graphql").read_text(),
    "examples": (folder("examples") / "diary" / "profiles.yaml").is_file(),
    "lock": (folder("cypher").parent.parent / "server" / "neo4j.lock.toml").is_file(),
    "page": "graphmem" in form_of("open", "1"),
    "dashboard": sorted(page_files()),
    "needs": [each for each in requires("graphmem") if "extra ==" not in each],
    "encoder": len(load().embed(["A plan."], question=True)[0]) == 384,
}))
"""


def main() -> int:
    """Return 0 when the wheel holds everything that the checkout has."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(work)]
        subprocess.run([*build, str(ROOT)], check=True, stdout=subprocess.DEVNULL, timeout=300)
        python = _install(next(work.glob("*.whl")), work / "venv")
        found = subprocess.run(
            [python, "-I", "-c", PROBE], cwd=work, check=True, capture_output=True, timeout=120
        )
    return _compare(found.stdout.decode())


def _install(wheel: Path, folder: Path) -> str:
    venv.create(folder, with_pip=False)
    python = str(folder / "bin" / "python")
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", ask], check=True, capture_output=True, timeout=60)
    target = Path(site.stdout.decode().strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    (target / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def _compare(printed: str) -> int:
    found = json.loads(printed)
    queries = [
        str(path.relative_to(ROOT / "cypher").with_suffix(""))
        for path in (ROOT / "cypher").rglob("*.cypher")
        if path.parent.name != "fragments"  # they are part of the queries; a missing one fails
    ]
    queries += [f"job:{path.stem}" for path in (ROOT / "jobs").glob("*.cypher")]
    migrations = sorted(path.name for path in (ROOT / "schema" / "migrations").iterdir())
    pages = ROOT / "graphmem" / "api" / "dashboard_page"
    dashboard = [str(path.relative_to(pages)) for path in pages.rglob("*") if path.is_file()]
    checks = {
        "installed": str(ROOT) not in found["where"],
        "queries": found["queries"] == sorted(queries),
        "migrations": found["migrations"] == migrations,
        "schema": found["sdl"],
        "examples": found["examples"],
        "server lock": found["lock"],
        "page": found["page"],
        "dashboard": found["dashboard"] == sorted(dashboard),
        "encoder": found["encoder"],
        "a light installation": not any(map(HEAVY.match, found["needs"])),
    }
    missing = [name for name, good in checks.items() if not good]
    print("wheel: " + (f"wrong or missing: {', '.join(missing)}" if missing else "complete"))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
