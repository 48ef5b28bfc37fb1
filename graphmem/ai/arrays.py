"""Reads arrays from files in the form of safetensors.

Such a file is the length of a header (8 bytes), the header as JSON, and the numbers. Where those of
an array lie is counted from the end of the header."""

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np

_LENGTH: Final = 8  # bytes that hold the length of the header
_KINDS: Final = {"F16": "<f2", "F32": "<f4"}
_NO_ARRAY: Final = "__metadata__"


def read_arrays(data: bytes) -> "dict[str, np.ndarray]":
    """Return the arrays by their names, as float32, also those stored in half precision.

    Raises ValueError or KeyError if these are no such bytes, or numbers of another kind."""
    import numpy as np

    begin = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    header = json.loads(data[_LENGTH:begin])
    header.pop(_NO_ARRAY, None)
    numbers = memoryview(data)[begin:]
    arrays: dict[str, np.ndarray] = {}
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        stored = np.frombuffer(numbers[first:end], _KINDS[entry["dtype"]])
        arrays[name] = stored.reshape(entry["shape"]).astype(np.float32)
    return arrays
