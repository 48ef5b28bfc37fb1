"""The class path of the server."""

import os
from pathlib import Path

from graphmem.server.artifacts import locked
from graphmem.server.browser_guide import ensure_browser
from graphmem.server.jars import distribution_jars, ensure_jars


def class_path(cache_dir: Path, browser: bool, neo4j_home: Path | None) -> str:
    """Return the class path of the server; raises Misconfigured when the jars are not available.

    With `neo4j_home` nothing is downloaded: a distribution brings its own Neo4j Browser, which
    has no guide."""
    if neo4j_home is not None:
        return str(distribution_jars(neo4j_home) / "*")
    folders = [ensure_jars(cache_dir, locked("server"))]
    if browser:
        folders.append(ensure_browser(cache_dir))
    return os.pathsep.join(str(folder / "*") for folder in folders)
