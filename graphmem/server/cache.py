"""The cache folder: its files are executed, so nobody else may be able to write there."""

import os
import stat
from pathlib import Path

from graphmem.errors import Misconfigured

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def open_cache(folder: Path) -> None:
    """Create the cache folder, closed to others, unless it exists. Raises Misconfigured when it
    can't be created, or when others can write to it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as exc:
        raise Misconfigured(f"The cache {folder} can't be written: {exc}") from exc
    require_own(folder)


def require_own(path: Path) -> None:
    """Raise Misconfigured unless a file or folder of the cache is ours or root's and nobody else
    can write it."""
    try:
        found = path.stat()
    except OSError as exc:
        raise Misconfigured(f"{path} in the cache can't be read: {exc}") from exc
    if found.st_uid not in (os.geteuid(), 0):
        wrong, cure = f"belongs to another user (uid {found.st_uid})", "remove it"
    elif found.st_mode & OTHERS_WRITE:
        wrong, cure = "can be written by others", f"chmod -R go-w {path}"
    else:
        return
    raise Misconfigured(
        f"{path} {wrong}. Java would run what is put there, so it is not used. If nobody has "
        f"tampered with it: {cure}; else remove it, and it is downloaded again. Or let "
        "GRAPHMEM_CACHE name a folder that only you can write."
    )


def require_own_folder(folder: Path) -> None:
    """Raise Misconfigured unless a folder and all that is in it are ours or root's and nobody else
    can write them."""
    require_own(folder)
    for path in sorted(folder.iterdir()):
        require_own(path)
