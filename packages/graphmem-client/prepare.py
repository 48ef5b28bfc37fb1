"""Make the package graphmem_client of the client and the adapters of graphmem.

`python prepare.py` copies graphmem/client and graphmem/adapters under that name. Two packages can't
both bring a folder `graphmem`, so an environment may hold one of them, the other, or both."""

import re
import shutil
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
SOURCE: Final = HERE.parents[1] / "graphmem"
TARGET: Final = HERE / "graphmem_client"
NAMES: Final = {
    "graphmem.client": "graphmem_client",
    "graphmem.adapters": "graphmem_client.adapters",
    "`graphmem[": "`graphmem-client[",  # an extra
}
OTHER_PARTS: Final = re.compile(r"^\s*(?:from|import) graphmem\b.*", re.MULTILINE)


def main() -> int:
    """Write the package; return 1 if it would need other parts of graphmem."""
    shutil.rmtree(TARGET, ignore_errors=True)
    needed = _copy(SOURCE / "client", TARGET) + _copy(SOURCE / "adapters", TARGET / "adapters")
    (TARGET / "py.typed").touch()
    print("client: " + (f"needs what it has not: {'; '.join(needed)}" if needed else "ready"))
    return 1 if needed else 0


def _copy(source: Path, target: Path) -> list[str]:
    """Copy the modules of a folder; return their lines that import what is not among them."""
    needed: list[str] = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name, new in NAMES.items():
            text = text.replace(name, new)
        needed += OTHER_PARTS.findall(text)
        copied = target / path.relative_to(source)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(text, encoding="utf-8", newline="\n")
    return needed


if __name__ == "__main__":
    sys.exit(main())
