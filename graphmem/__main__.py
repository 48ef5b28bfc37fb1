"""The entry of the program `graphmem`."""

import sys


def main() -> None:
    """Run a command and exit with its code: 0 done, 1 failed, 2 wrong use."""
    from graphmem.cli.program import run

    sys.exit(run())


if __name__ == "__main__":
    main()
