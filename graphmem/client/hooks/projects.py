"""The project of a folder: the domain that its clones share."""

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Final

DOMAIN: Final = "projects"
MAX_NAME: Final = 60
MAX_CONFIG: Final = 100_000  # characters of git's configuration that are read
_SECTION = re.compile(r'^\s*\[remote "([^"\n]{1,100})"\]')
_URL = re.compile(r"^\s*url\s*=\s*(\S{1,500})")
_OTHER = re.compile(r"[^a-z0-9]+")


def domain_of(folder: Path) -> str:
    """Return the domain of the project that a folder belongs to: `projects/acme-shop-` and a mark.

    It is named by the address of git's remote, so that each clone has the same one; without a
    remote by the path of the repository, or of the folder itself."""
    root = _repository_of(folder)
    remote = None if root is None else _remote_of(root / ".git")
    if remote is not None:
        return f"{DOMAIN}/{_short('-'.join(remote.split('/')[-2:]))}-{_mark(remote)}"
    place = root or folder
    return f"{DOMAIN}/{_short(place.name)}-{_mark(str(place))}"


def name_of(domain: str) -> str:
    """Return the name of the project of a domain, for a text."""
    return domain.rpartition("/")[2]


def _repository_of(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    return None


def _remote_of(git: Path) -> str | None:
    """Return host and path of the remote `origin`, else of the first remote."""
    try:
        if git.is_file():  # a worktree or a submodule names its folder
            named = _read(git).partition("gitdir:")[2].strip()
            git = (git.parent / named).resolve()
            common = git / "commondir"
            git = (git / _read(common).strip()).resolve() if common.exists() else git
        lines = _read(git / "config").splitlines()
    except (OSError, ValueError):
        return None
    found: dict[str, str] = {}
    section = None
    for line in lines:
        if line.lstrip().startswith("["):
            named_section = _SECTION.match(line)
            section = named_section[1] if named_section else None
        elif section is not None and (url := _URL.match(line)):
            found.setdefault(section, url[1])
    address = found.get("origin") or next(iter(found.values()), None)
    return None if address is None else _plain(address)


def _read(file: Path) -> str:
    """Return the beginning of a text file. Raises OSError, and ValueError for what is none."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("not a file")
        return opened.read(MAX_CONFIG).decode("utf-8", errors="replace")


def _plain(address: str) -> str:
    """Return host and path of an address, without what differs between its forms: the scheme, who
    asks, and letters' case."""
    plain = address.rpartition("://")[2].rstrip("/").removesuffix(".git").lower()
    return plain.rpartition("@")[2].replace(":", "/")


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def _short(text: str) -> str:
    return _OTHER.sub("-", text.lower()).strip("-")[:MAX_NAME].strip("-") or "folder"
