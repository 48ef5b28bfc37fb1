"""Write a bill of materials: what an installation of graphmem consists of (CycloneDX 1.6, JSON).

`python scripts/write_sbom.py FILE` reads requirements.lock, which names each package with its
version and the checksums of its files. The same lock gives the same file. Needs the standard
library only."""

import json
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
WEIGHTS: Final = ROOT / "packages" / "graphmem-weights"
LOCKED: Final = re.compile(r"^([a-z0-9-]+)==([^\s;]+)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
HASH: Final = re.compile(r"--hash=sha256:(\w{64})")


def bill() -> dict[str, Any]:
    """Return the bill of materials."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    project = _project(ROOT)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, project['version'] + lock)}",
        "version": 1,
        "metadata": {"component": _component(project["name"], project["version"], "application")},
        "components": [*_own(), *_locked(lock)],
    }


def _own() -> Iterator[dict[str, Any]]:
    """Give the weights, which are not in the lock, and what they were made of."""
    weights = _project(WEIGHTS)
    source = list(_locked((WEIGHTS / "source.lock").read_text(encoding="utf-8")))
    made = _component(weights["name"], weights["version"], "machine-learning-model")
    yield made | {
        "licenses": [{"license": {"id": weights["license"]}}],
        "pedigree": {"ancestors": source},
    }


def _locked(lock: str) -> Iterator[dict[str, Any]]:
    for name, version, rest in LOCKED.findall(lock):
        hashes = [{"alg": "SHA-256", "content": each} for each in HASH.findall(rest)]
        yield _component(name, version, "library") | {"hashes": hashes}


def _component(name: str, version: str, kind: str) -> dict[str, Any]:
    reference = f"pkg:pypi/{name}@{version}"
    return {
        "type": kind,
        "bom-ref": reference,
        "name": name,
        "version": version,
        "purl": reference,
    }


def _project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def main() -> int:
    """Write the file that is named."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
