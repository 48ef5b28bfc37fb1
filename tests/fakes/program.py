"""The program `graphmem` as a stranger runs it: each command a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

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
