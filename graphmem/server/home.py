"""The folders of one server: its Neo4j home, its log, its password."""

import logging
import os
import secrets
import subprocess
from dataclasses import dataclass
from pathlib import Path

from graphmem.errors import Misconfigured
from graphmem.server.command import ADMIN_CLASS, environment
from graphmem.server.java import Java

_log = logging.getLogger(__name__)

USER = "neo4j"
PASSWORD_BYTES = 24
ADMIN_TIMEOUT = 120.0  # seconds; it takes two on an idle machine
LOG_LIMIT = 10_000_000  # bytes
TAIL = 15  # lines of the log that an error shows


@dataclass(frozen=True)
class DataFolder:
    """The folder for everything of one server."""

    root: Path

    @property
    def home(self) -> Path:
        """The folder that Neo4j calls its home: conf, data, logs (its debug log), plugins, run."""
        return self.root / "neo4j"

    @property
    def lock(self) -> Path:
        """The lock file of the process that runs the server; contains its process id."""
        return self.root / "graphmem.lock"

    @property
    def address(self) -> Path:
        """The address at which the running server listens, as JSON."""
        return self.root / "neo4j.address"

    @property
    def service(self) -> Path:
        """The URL of the service that runs on this folder."""
        return self.root / "service.address"

    @property
    def password(self) -> Path:
        """The password of the user neo4j."""
        return self.root / "neo4j.password"

    @property
    def log(self) -> Path:
        """The output of the server."""
        return self.root / "logs" / "neo4j.log"

    @property
    def debug_log(self) -> Path:
        """The debug log of the server."""
        return self.home / "logs" / "debug.log"

    def has_graph(self) -> bool:
        """Check whether a Neo4j has made its graph here."""
        return (self.home / "data" / "databases" / "neo4j").is_dir()

    def make(self) -> None:
        """Create the folders, closed to other users; raises Misconfigured.

        A root that existed before keeps its mode: it may be a volume, or hold other things."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for private in (self.home, self.log.parent):
                private.mkdir(mode=0o700, exist_ok=True)
                private.chmod(0o700)
            for folder in ("conf", "data", "logs", "plugins", "run"):
                (self.home / folder).mkdir(exist_ok=True)
        except OSError as exc:
            raise Misconfigured(f"The data folder {self.root} can't be used: {exc}") from exc

    def rotate_log(self) -> None:
        """Set a log aside that has grown large; one old log is kept."""
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.1"))

    def log_tail(self) -> str:
        """Return the last lines of the log, for an error message."""
        if not self.log.exists():
            return "(no log)"
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 8192))
            text = file.read().decode("utf-8", "replace")
        return "\n".join(text.splitlines()[-TAIL:])


def write_private(path: Path, text: str) -> None:
    """Write a file that only this user can read; a crash leaves the old one or the new one."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def ensure_password(folder: DataFolder, java: Java, class_path: str) -> str:
    """Return the password of the server, made and set before its first start; raises Misconfigured.

    The file comes first and is never written twice. Until the system database exists, which holds
    the password from then on, each start sets it again: so a crash at any point locks nobody
    out."""
    started_before = (folder.home / "data" / "databases" / "system").exists()
    if not folder.password.exists():
        if started_before:
            raise Misconfigured(
                f"{folder.password} is gone, and the database there needs its password: put the "
                "file back, or use another data folder."
            )
        write_private(folder.password, secrets.token_hex(PASSWORD_BYTES))
    folder.password.chmod(0o600)
    password = folder.password.read_text("utf-8").strip()
    if not started_before:
        set_initial_password(folder, java, class_path, password)
    return password


def set_initial_password(folder: DataFolder, java: Java, class_path: str, password: str) -> None:
    """Set the password of Neo4j before its first start; raises Misconfigured.

    It is passed in an argument file, so that no list of processes shows it."""
    (folder.home / "data" / "dbms" / "auth.ini").unlink(missing_ok=True)
    arguments = folder.root / "neo4j.arguments"
    words = ["-cp", class_path, ADMIN_CLASS, "dbms", "set-initial-password", password]
    write_private(arguments, "\n".join(quote(word) for word in words))
    try:
        done = subprocess.run(
            [java.path, "-Xmx256m", f"@{arguments}"],
            env=environment(folder.home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ADMIN_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise Misconfigured("Neo4j's admin tool could not set the first password.") from exc
    finally:
        arguments.unlink(missing_ok=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).replace(password, "***")[-2000:]
        raise Misconfigured(f"Neo4j's admin tool could not set the first password:\n{said}")
    _log.info("set the password of the new database")


def quote(word: str) -> str:
    """One word in the syntax of Java's argument files."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
