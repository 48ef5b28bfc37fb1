"""Asking a server whether it speaks Bolt; no driver needed."""

import socket

MAGIC = bytes.fromhex("6060b017")
# Four proposals of versions: 6.0, 5.8 down to 5.0, 4.4, none.
VERSIONS = bytes.fromhex("00000006000808050000040400000000")


def answers(host: str, port: int, timeout_s: float = 2.0) -> bool:
    """Return True if a Bolt server at `host`:`port` agrees on a version within `timeout_s`
    seconds."""
    try:
        with socket.create_connection((host, port), timeout=timeout_s) as connection:
            connection.settimeout(timeout_s)
            connection.sendall(MAGIC + VERSIONS)
            agreed = connection.recv(4)
    except OSError:
        return False
    return len(agreed) == 4 and any(agreed)
