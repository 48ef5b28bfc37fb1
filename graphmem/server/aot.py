"""Java's AOT cache: what an earlier run has loaded, linked and found to run often (JEP 483, 514 and
515), so that the next start need not find it out again.

It belongs to one set of jars, one Java and its options; another Java refuses it. Java checks what
it reads (`VerifySharedSpaces`): otherwise a partly corrupt file would crash it."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graphmem.server.cache import require_own
from graphmem.server.command import java_options
from graphmem.server.jars import jars_of
from graphmem.server.java import Java

OLDEST_JAVA = 25  # the first version that keeps profiles of methods
UNUSED = 7 * 86_400.0  # seconds after which a cache of another key is removed
FREE_DISK = 1_500_000_000  # bytes; the record and the cache have some 200 MB each
FREE_MEMORY = 2_000_000_000  # bytes that a training run may need
WORK = ".aot"  # the folder of the training run, and the name of its lock
PREFIX, READY, FAILED = "java-", ".aot", ".failed"


@dataclass(frozen=True)
class AotCache:
    """The cache for one key; the file need not exist."""

    file: Path

    @property
    def failed(self) -> Path:
        """The mark of a failed training run, which is not tried again for a week."""
        return self.file.with_suffix(FAILED)

    @property
    def is_wanted(self) -> bool:
        """True if a training run should make the file."""
        return not (self.file.exists() or self.failed.exists())

    def used_by(self) -> list[str]:
        """Return Java's options to use the file; none when it does not exist. Raises Misconfigured
        when others can write it."""
        with contextlib.suppress(OSError):
            os.utime(self.file)  # mark it as used
            require_own(self.file.parent)
            require_own(self.file)
            return [
                f"-XX:AOTCache={self.file}",
                "-XX:+VerifySharedSpaces",
                # Java mistakes one adapter for another, notices that, and warns at each start.
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-AOTAdapterCaching",
            ]
        return []

    def drop(self) -> None:
        """Remove the file, because Java did not start with it."""
        with contextlib.suppress(OSError):
            self.file.unlink()


def cache_for(
    folder: Path, java: Java, options: Sequence[str], jars: Sequence[Path]
) -> AotCache | None:
    """Return the cache for this Java with these options and jars; None when Java can't have one."""
    if java.version < OLDEST_JAVA:
        return None
    runtime = java.path.resolve().parent.parent / "lib" / "modules"
    parts = [str(java.path), java.release, *options]
    try:
        for file in (runtime, *jars):
            found = file.stat()
            parts.append(f"{file} {found.st_size} {found.st_mtime_ns}")
    except OSError:
        return None
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return AotCache(folder / f"{PREFIX}{key}{READY}")


def cache_of(folder: Path, java: Java, class_path: str) -> AotCache | None:
    """Return the cache for the server. Later parts of the class path do not matter to Java, such as
    Neo4j Browser."""
    first = class_path.partition(os.pathsep)[0]
    return cache_for(folder, java, java_options(java), jars_of(first))


def recording_options(record: Path | None) -> list[str]:
    """Return Java's options for a run that writes at its end the record that a cache is made of;
    none without a record."""
    return [] if record is None else ["-XX:AOTMode=record", f"-XX:AOTConfiguration={record}"]


def assembling_options(record: Path, target: Path) -> list[str]:
    """Return Java's options for making a cache from a record."""
    return ["-XX:AOTMode=create", f"-XX:AOTConfiguration={record}", f"-XX:AOTCache={target}"]


def publish(made: Path, cache: AotCache) -> None:
    """Move a complete file to its place at once. Raises OSError."""
    with made.open("rb") as file:
        os.fsync(file.fileno())
    made.chmod(0o600)
    made.replace(cache.file)


@contextmanager
def training_folder(folder: Path) -> Iterator[tuple[Path, int] | None]:
    """Yield a fresh folder for a training run, with the descriptor of its lock; None while another
    process has it. The remains of an earlier run are removed, and those of this run at the end."""
    descriptor = os.open(folder / f"{WORK}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        work = folder / WORK
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(mode=0o700)
        try:
            yield work, descriptor
        finally:
            shutil.rmtree(work, ignore_errors=True)
    finally:
        os.close(descriptor)


def tidy(current: AotCache) -> None:
    """Remove the remains of a killed training run, caches of other keys that nobody has used for a
    week (a second Java or version on this machine may need them), and equally old failures."""
    folder = current.file.parent
    with contextlib.suppress(OSError):
        if (folder / WORK).exists():
            with training_folder(folder):
                pass
        for file in folder.glob(f"{PREFIX}*"):
            if file != current.file and time.time() - file.stat().st_mtime > UNUSED:
                file.unlink()


def has_room(folder: Path) -> bool:
    """Return True if disk and memory suffice for a training run in addition to everything else."""
    try:
        if shutil.disk_usage(folder).free < FREE_DISK:
            return False
        available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = Path("/proc/meminfo").read_text("ascii").splitlines()
            available_line = next(line for line in lines if line.startswith("MemAvailable:"))
            available = 1024 * int(available_line.split()[1])
    except (OSError, ValueError, StopIteration):
        return False
    return available >= FREE_MEMORY
