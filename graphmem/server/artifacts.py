"""The lock file: which jars make a Neo4j server and GraphiQL, with the checksum of each."""

import hashlib
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal


@dataclass(frozen=True)
class Jar:
    """One file of Maven Central; `sha256` is in hexadecimal, `size` in bytes."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def filename(self) -> str:
        """The name that Maven gives the file."""
        stem = "-".join(part for part in (self.artifact, self.version, self.classifier) if part)
        return f"{stem}.jar"


@dataclass(frozen=True)
class JarSet:
    """Jars that are fetched, cached and used together."""

    name: str
    version: str
    jars: tuple[Jar, ...]

    @property
    def folder_name(self) -> str:
        """The folder in the cache: another lock file gives another folder."""
        rows = "\n".join(f"{jar.filename} {jar.sha256}" for jar in self.jars)
        return f"{self.name}-{self.version}-{hashlib.sha256(rows.encode()).hexdigest()[:12]}"

    @property
    def title(self) -> str:
        """The name of the set for people."""
        return f"{'GraphiQL' if self.name == 'graphiql' else 'Neo4j'} {self.version}"

    @property
    def size(self) -> int:
        """The size of all jars in bytes."""
        return sum(jar.size for jar in self.jars)


def locked(section: Literal["server", "browser", "graphiql"]) -> JarSet:
    """Return the jars of one section of the lock file."""
    text = (files("graphmem.server") / "neo4j.lock.toml").read_text("utf-8")
    table = tomllib.loads(text)[section]
    jars = tuple(
        Jar(
            group=row["groupId"],
            artifact=row["artifactId"],
            version=row["version"],
            classifier=row.get("classifier", ""),
            sha256=row["sha256"],
            size=row["size"],
        )
        for row in table["jars"]
    )
    name = section if section == "graphiql" else f"neo4j-{section}"
    return JarSet(name=name, version=table["version"], jars=jars)
