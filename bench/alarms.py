"""How often an ordinary text is taken for one with a secret, or for one that instructs.

python -m bench.alarms FILE... : files of JSON lines (also .gz), each with a `content`.
"""

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from graphmem.client.secrets import find_secrets
from graphmem.language.instructions import why_instructing


def main() -> None:
    """Print, for each file, how many texts are found, and which."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print what was found")
    given = parser.parse_args()
    for file in given.files:
        texts = list(_texts(file))
        began = time.perf_counter()
        found = [(text, find_secrets(text)) for text in texts]
        took = (time.perf_counter() - began) / max(1, len(texts)) * 1e6
        alarms = [(text, secrets) for text, secrets in found if secrets]
        kinds = Counter(secret.kind for _, secrets in alarms for secret in secrets)
        share = 1000 * len(alarms) / max(1, len(texts))
        print(f"{file.name}: {len(texts)} texts, {share:.2f} in 1,000, {took:.0f} us", dict(kinds))
        for text, secrets in alarms if given.show else ():
            print("  ", [(each.kind, text[each.start : each.end][:60]) for each in secrets])
        began = time.perf_counter()
        reasons = [(text, why_instructing(text)) for text in texts]
        took = (time.perf_counter() - began) / max(1, len(texts)) * 1e6
        held = [(text, reason) for text, reason in reasons if reason]
        print(f"  instructing: {1000 * len(held) / max(1, len(texts)):.2f} in 1,000, {took:.0f} us")
        for text, reason in held if given.show else ():
            print("  ", reason, text[:200])


def _texts(file: Path) -> Iterator[str]:
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
    yield from (str(json.loads(line)["content"]) for line in text.split("\n") if line)


if __name__ == "__main__":
    main()
