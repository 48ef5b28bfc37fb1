"""The watchdog: a small process between graphmem and Java that outlives neither.

It runs as a script with the standard library only, so that it costs little: it starts Java, prints
its process id on standard output, and ends with Java's exit code. It stops Java when

- its standard input ends: graphmem has ended, however that came about;
- a line comes in on standard input: graphmem asks for an orderly stop, and waits longer;
- it receives a signal to terminate.

If the watchdog itself is killed, Linux kills Java. It has one thread, because that signal follows
the thread that started Java.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable

ABANDONED_GRACE = 5.0  # seconds for Java to stop once graphmem is gone
ORDERLY_GRACE = 30.0  # seconds for Java to stop when asked to
PARENT_CHECK = 1.0  # seconds; a forked child of graphmem can keep our standard input open
PR_SET_PDEATHSIG = 1


def die_with_parent() -> Callable[[], None] | None:
    """Return a function that a child on Linux must call to be killed along with its parent."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None).prctl
    watchdog = os.getpid()

    def ask_kernel() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != watchdog:  # the parent was killed before the line above
            os._exit(1)

    return ask_kernel


def wake_up_on_signals() -> int:
    """Return a descriptor that becomes readable when Java ends or somebody terminates this
    process."""
    wake_up, written = os.pipe()
    os.set_blocking(wake_up, False)
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return wake_up


def watch(
    java: "subprocess.Popen[bytes]", wake_up: int, parent: int, orderly: float
) -> float | None:
    """Wait; return the seconds that Java gets to stop, or None if it has ended by itself."""
    standard_input = sys.stdin.fileno()
    while java.poll() is None:
        ready, _, _ = select.select([standard_input, wake_up], [], [], PARENT_CHECK)
        if standard_input in ready:
            return orderly if os.read(standard_input, 64) else ABANDONED_GRACE
        if wake_up in ready:
            received = os.read(wake_up, 64)
            if any(number != signal.SIGCHLD for number in received):
                return orderly
        if os.getppid() != parent:
            return ABANDONED_GRACE
    return None


def stop(java: "subprocess.Popen[bytes]", grace: float) -> None:
    """Ask Java to stop, and kill it if it is still there after `grace` seconds."""
    java.terminate()
    try:
        java.wait(grace)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()


def main(parent: int, orderly: float, log: str, command: list[str]) -> int:
    """Run `command` with its output appended to `log`; return Java's exit code, negative for a
    signal.

    After a request to stop, it gets `orderly` seconds."""
    wake_up = wake_up_on_signals()
    with open(log, "ab") as output:
        java = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent(),
        )
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), f"{java.pid}\n".encode())
    grace = watch(java, wake_up, parent, orderly)
    if grace is not None:
        stop(java, grace)
    return java.returncode


if __name__ == "__main__":
    code = main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4:])
    sys.exit(code if code >= 0 else 128 - code)
