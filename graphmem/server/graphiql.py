"""The files of GraphiQL: fetched once from Maven Central and kept in the cache.

They come as jars of the WebJars project, which are archives of a package's files."""

import logging
import zipfile
from pathlib import Path

from graphmem.errors import Misconfigured
from graphmem.server.artifacts import locked
from graphmem.server.cache import require_own_folder
from graphmem.server.jars import ensure_jars

_log = logging.getLogger(__name__)

FILES = {  # name: the package that has it, and where in it
    "graphiql.min.js": ("graphiql", "graphiql.min.js"),
    "graphiql.min.css": ("graphiql", "graphiql.min.css"),
    "react.production.min.js": ("react", "umd/react.production.min.js"),
    "react-dom.production.min.js": ("react-dom", "umd/react-dom.production.min.js"),
}


def fetch_graphiql(cache_dir: Path) -> None:
    """Put the files into the cache. A service works without them, so a failure is only logged."""
    try:
        ensure_jars(cache_dir, locked("graphiql"))
    except Misconfigured as error:
        _log.warning("GraphiQL is not available: %s", type(error.__cause__ or error).__name__)


def cached_graphiql(cache_dir: Path) -> dict[str, bytes]:
    """Return the files by their names; none while they are not in the cache, or others can write
    them."""
    jar_set = locked("graphiql")
    folder = cache_dir / jar_set.folder_name
    if not folder.is_dir():
        return {}
    try:
        require_own_folder(folder)
    except Misconfigured:  # others could have changed scripts that a browser runs
        return {}
    jars = {jar.artifact: jar for jar in jar_set.jars}
    found = {}
    for name, (package, path) in FILES.items():
        with zipfile.ZipFile(folder / jars[package].filename) as archive:
            inside = f"META-INF/resources/webjars/{package}/{jars[package].version}/{path}"
            found[name] = archive.read(inside)
    return found
