"""The jars of the server: from the cache, from an unpacked distribution, or from Maven Central."""

import hashlib
import logging
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import stamina

from graphmem.errors import Misconfigured
from graphmem.server.artifacts import Jar, JarSet, locked
from graphmem.server.cache import OTHERS_WRITE, open_cache, require_own_folder

if TYPE_CHECKING:
    from jgo.maven import MavenContext

_log = logging.getLogger(__name__)

DOWNLOADS = 8  # at a time
NETWORK_TIMEOUT = 20  # seconds to connect, and without any byte
ATTEMPTS = 3  # per jar
ABANDONED = 86_400.0  # seconds after which a download is no longer running
WORK_PREFIX = ".download-"
OLDEST = (2026, 8)  # the first release that graphmem's queries run on

OTHER_WAYS = (
    "Three other ways to a Neo4j: set NEO4J_HOME to an unpacked distribution of Neo4j 2026.08.1 "
    "or later; set GRAPHMEM_NEO4J_URI to a running server or Aura; "
    "or run `docker compose up`, which brings its own Neo4j."
)


def default_cache_dir() -> Path:
    """Return the folder for downloads unless the settings name another."""
    named = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return (named if named.is_absolute() else Path("~/.cache").expanduser()) / "graphmem"


def jars_of(class_path: str) -> list[Path]:
    """Return the jars of a class path, in its order."""
    folders = [Path(part).parent for part in class_path.split(os.pathsep)]
    return [jar for folder in folders for jar in sorted(folder.glob("*.jar"))]


def is_locked_version(neo4j_home: Path | None) -> bool:
    """Return True if the server has the version in the lock file, downloaded or in a
    distribution."""
    kernel = f"neo4j-kernel-{locked('server').version}.jar"
    return neo4j_home is None or (neo4j_home / "lib" / kernel).exists()


def distribution_jars(neo4j_home: Path) -> Path:
    """Return the folder with the jars of an unpacked distribution; raises Misconfigured."""
    folder = neo4j_home / "lib"
    versions = [
        tuple(int(part) for part in found.groups())
        for jar in folder.glob("neo4j-kernel-[0-9]*.jar")
        if (found := re.match(r"neo4j-kernel-(\d+)\.(\d+)", jar.name))
    ]
    if not versions:
        raise Misconfigured(f"NEO4J_HOME is {neo4j_home}, which has no Neo4j server in lib/.")
    if max(versions) < OLDEST:
        raise Misconfigured(f"The Neo4j in NEO4J_HOME ({neo4j_home}) is older than 2026.08.1.")
    return folder


def ensure_jars(cache_dir: Path, jar_set: JarSet) -> Path:
    """Return the folder of the cache with every jar of `jar_set`, downloaded if it is missing.

    Raises Misconfigured when a jar can't be downloaded or is not the one of the lock file, and when
    others can write to the cache."""
    open_cache(cache_dir)
    target = cache_dir / jar_set.folder_name
    if not target.is_dir():
        _download_to(target, jar_set)
    require_own_folder(target)
    return target


def _download_to(target: Path, jar_set: JarSet) -> None:
    cache_dir = target.parent
    try:
        remove_abandoned(cache_dir)
        work = Path(tempfile.mkdtemp(prefix=WORK_PREFIX, dir=cache_dir))
    except OSError as exc:
        raise Misconfigured(f"The cache {cache_dir} can't be written: {exc}") from exc
    try:
        download(jar_set, work)
        publish(work / "jars", target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def remove_abandoned(cache_dir: Path) -> None:
    """Remove the remains of downloads that were killed long ago."""
    for folder in cache_dir.glob(f"{WORK_PREFIX}*"):
        if time.time() - folder.stat().st_mtime > ABANDONED:
            shutil.rmtree(folder, ignore_errors=True)


def publish(finished: Path, target: Path) -> None:
    """Move a complete folder to its place at once, not writable by others whatever the umask is; if
    another process was first, keep its folder."""
    for path in (finished, *finished.iterdir()):
        path.chmod(path.stat().st_mode & ~OTHERS_WRITE)
    try:
        finished.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def download(jar_set: JarSet, work: Path) -> None:
    """Put every jar into `work`/jars, several at a time; raises Misconfigured."""
    (work / "jars").mkdir()
    maven = maven_context(work / "repository")
    started = time.monotonic()
    _log.info("downloading %s, %d MB", jar_set.title, jar_set.size // 1_000_000)
    with progress(jar_set) as advance, ThreadPoolExecutor(DOWNLOADS) as pool:
        futures = [pool.submit(fetch, maven, jar, work / "jars") for jar in jar_set.jars]
        try:
            for future in as_completed(futures):
                advance(future.result())
        except OSError as exc:
            raise Misconfigured(
                f"{jar_set.title} is not in the cache and can't be downloaded from Maven Central "
                f"({type(exc).__name__}). {OTHER_WAYS}"
            ) from exc
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    _log.info("downloaded %s in %.0f s", jar_set.title, time.monotonic() - started)


def maven_context(repository: Path) -> "MavenContext":
    """Return jgo's access to Maven Central, with `repository` as its folder for files."""
    from jgo.maven import MavenContext  # half a second, and only needed for a download

    return MavenContext(repo_cache=repository, timeout=NETWORK_TIMEOUT)


def fetch(maven: "MavenContext", jar: Jar, target: Path) -> int:
    """Download one jar into the folder `target` and return its size in bytes.

    Raises OSError if it can't be reached, Misconfigured if it is not the jar of the lock file."""
    component = maven.project(jar.group, jar.artifact).at_version(jar.version)
    artifact = component.artifact(jar.classifier, "jar")
    for attempt in stamina.retry_context(on=OSError, attempts=ATTEMPTS, timeout=120.0):
        with attempt:
            try:
                file = artifact.resolve()
            except RuntimeError as exc:  # jgo raises this for any answer but 200
                raise OSError(f"{jar.filename} is not to be had") from exc
            except OSError:
                drop(artifact.cached_path)  # else jgo takes a partial file for the whole
                raise
            if file.stat().st_size != jar.size:
                drop(file)
                raise OSError(f"{jar.filename} ended early")
            if hashlib.sha256(file.read_bytes()).hexdigest() != jar.sha256:
                raise Misconfigured(
                    f"The checksum of {jar.filename} from Maven Central is not the expected one. "
                    f"Nothing of it is kept. {OTHER_WAYS}"
                )
            shutil.move(file, target / jar.filename)
    return jar.size


def drop(file: Path | None) -> None:
    """Remove a file that may be incomplete."""
    if file is not None:
        file.unlink(missing_ok=True)


@contextmanager
def progress(jar_set: JarSet) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on a terminal, else nothing; yield a function that takes the number of
    new bytes."""
    if not sys.stderr.isatty():
        yield lambda size: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    with bar:
        task = bar.add_task(f"Downloading {jar_set.title}", total=jar_set.size)
        yield lambda size: bar.advance(task, size)
