"""The project of a folder: the domain that its clones share."""

import hashlib
import re
from pathlib import Path
from typing import Final

DOMAIN: Final = "projects"
MAX_NAME: Final = 60
MAX_CONFIG: Final = 100_000  # characters of git's configuration that are read
_SECTION = re.compile(r'^\s*\[remote "([^"\n]{1,100})"\]')
_URL = re.compile(r"^\s*url\s*=\s*(\S{1,500})")
_OTHER = re.compile(r"[^a-z0-9]+")


def domain_of(folder: Path) -> str:
    """Return the domain of the project that a folder belongs to, such as `projects/acme-shop`.

    It is named by the address of git's remote, so that each clone has the same one; without a
    remote by the path of the repository, or of the folder itself."""
    root = _repository_of(folder)
    remote = None if root is None else _remote_of(root / ".git")
    if remote is not None:
        return f"{DOMAIN}/{_short(remote)}"
    place = root or folder
    mark = hashlib.sha256(str(place).encode()).hexdigest()[:6]
    return f"{DOMAIN}/{_short(place.name)}-{mark}"


def name_of(domain: str) -> str:
    """Return the name of the project of a domain, for a text."""
    return domain.rpartition("/")[2]


def _repository_of(folder: Path) -> Path | None:
    for place in (folder, *folder.parents):
        if (place / ".git").exists():
            return place
    return None


def _remote_of(git: Path) -> str | None:
    """Return owner and name of the repository at the remote `origin`, else at the first remote."""
    try:
        if git.is_file():  # a worktree or a submodule names its folder
            named = git.read_text("utf-8")[:MAX_CONFIG].partition("gitdir:")[2].strip()
            git = (git.parent / named).resolve()
            common = git / "commondir"
            git = (git / common.read_text("utf-8").strip()).resolve() if common.exists() else git
        lines = (git / "config").read_text("utf-8", errors="replace")[:MAX_CONFIG].splitlines()
    except OSError:
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
    return None if address is None else _path_of(address)


def _path_of(address: str) -> str:
    """Return the last two parts of an address, without what differs between its forms."""
    plain = address.rstrip("/").removesuffix(".git").replace(":", "/")
    return "-".join(plain.split("/")[-2:])


def _short(text: str) -> str:
    return _OTHER.sub("-", text.lower()).strip("-")[:MAX_NAME].strip("-") or "folder"
