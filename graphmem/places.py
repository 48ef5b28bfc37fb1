"""The places of graphmem on this machine: its own folders, and its file of settings."""

import ipaddress
import os
from pathlib import Path

from graphmem.errors import Misconfigured

FILE = "settings.env"  # in graphmem's folder of configuration
FILE_VARIABLE = "GRAPHMEM_ENV_FILE"  # names another file


def own_folder(variable: str, otherwise: str) -> Path:
    """Return graphmem's folder below the one that the XDG variable names; a relative path there
    does not count, as XDG specifies."""
    named = Path(os.environ.get(variable) or otherwise).expanduser()
    return (named if named.is_absolute() else Path(otherwise).expanduser()) / "graphmem"


def read_neo4j_auth(file: Path) -> dict[str, object]:
    """Read user and password of Neo4j, as settings, from a file `user/password`. Raises ValueError,
    which shows neither."""
    try:
        user, slash, password = file.read_text("utf-8").strip().partition("/")
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"GRAPHMEM_NEO4J_AUTH_FILE: {file} can't be read") from None
    if not (user and slash and password):
        raise ValueError(f"GRAPHMEM_NEO4J_AUTH_FILE: {file} does not hold user/password")
    return {"neo4j_user": user, "neo4j_password": password}


def env_file() -> Path | None:
    """Return the settings file, if there is one. Raises Misconfigured when the named one is not a
    file, or has a relative path, which could lead into any folder that graphmem is started in."""
    named = os.environ.get(FILE_VARIABLE)
    if not named:
        usual = own_folder("XDG_CONFIG_HOME", "~/.config") / FILE
        return usual if usual.is_file() else None
    file = Path(named).expanduser()
    if not file.is_absolute():
        raise Misconfigured(f"{FILE_VARIABLE} must be an absolute path")
    if not file.is_file():
        raise Misconfigured(f"{FILE_VARIABLE}: there is no file {file}")
    return file


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach what listens on `host`."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
