"""The weights of the default model: how their package is made, and how they are read."""

import json
import runpy
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphmem_weights import MODEL

from graphmem.ai import minilm
from graphmem.ai.arrays import read_arrays

PREPARE = Path(__file__).parents[2] / "packages" / "graphmem-weights" / "prepare.py"


@pytest.fixture(scope="module")
def prepare() -> dict[str, Any]:
    return runpy.run_path(str(PREPARE))


def stored(arrays: dict[str, np.ndarray]) -> bytes:
    """A file of arrays in the form of safetensors."""
    told, parts, at = dict[str, Any](), list[bytes](), 0
    for name, array in arrays.items():
        kind = {"f": "F", "i": "I"}[array.dtype.kind] + str(8 * array.dtype.itemsize)
        parts.append(array.tobytes())
        places = [at, at + array.nbytes]
        told[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": places}
        at += array.nbytes
    header = json.dumps(told).encode()
    return struct.pack("<Q", len(header)) + header + b"".join(parts)


def test_the_installed_files_are_those_that_prepare_makes(prepare: dict[str, Any]) -> None:
    prepare["checksums"].__globals__["TARGET"] = MODEL
    assert prepare["checksums"]() == prepare["MADE"]
    assert sum(path.stat().st_size for path in MODEL.iterdir()) < 46_000_000


def test_matrices_are_halved_and_the_rest_stays(prepare: dict[str, Any]) -> None:
    random = np.random.default_rng(7)
    given = {
        "encoder.weight": random.normal(0, 0.1, (300, 400)).astype(np.float32),
        "encoder.bias": random.normal(0, 0.1, 300).astype(np.float32),
        "embeddings.position_ids": np.arange(4)[None],
        "pooler.dense.weight": np.ones((2, 2), np.float32),
    }
    made = prepare["halved"](stored(given))
    assert made == prepare["halved"](stored(given))
    arrays = read_arrays(made)
    assert list(arrays) == ["encoder.bias", "encoder.weight"]
    assert (arrays["encoder.bias"] == given["encoder.bias"]).all()
    assert (arrays["encoder.weight"] == given["encoder.weight"].astype(np.float16)).all()
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("WARNING: Retrying\nERROR: No matching distribution found for x\n", "found for x"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE FILE.\n  Got 1\n", "checksum"),
        ("/usr/bin/python: No module named pip", "No module named pip"),
        ("", "says nothing"),
    ],
)
def test_what_can_not_be_downloaded_is_told_in_a_sentence(
    prepare: dict[str, Any],
    said: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "model"
    failed = subprocess.CompletedProcess[str]([], 1, stderr=said)
    monkeypatch.setitem(prepare["main"].__globals__, "TARGET", target)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    assert prepare["main"]() == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("weights: ")
    assert told in error
    assert error.count("\n") == 1
    assert not target.exists()


def test_weights_of_another_kind_are_refused(prepare: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="x is not of single precision"):
        prepare["halved"](stored({"x": np.ones(2, np.float16)}))
    with pytest.raises(OverflowError):
        prepare["halved"](stored({"x": np.full((1, 1), 1e30, np.float32)}))


@pytest.mark.parametrize("cut", [0, 4, 20, -1])
def test_a_file_that_is_cut_off_is_refused(cut: int) -> None:
    whole = stored({"x": np.ones((2, 3), np.float32)})
    assert (read_arrays(whole)["x"] == 1).all()
    with pytest.raises(
        ValueError, match=r"Expecting|Unterminated|buffer size|reshape|double quote"
    ):
        read_arrays(whole[:cut])


def test_numbers_of_another_kind_are_not_read() -> None:
    with pytest.raises(KeyError):
        read_arrays(stored({"x": np.ones(2, np.int64)}))


def test_an_adapter_is_added_to_its_weight_and_no_other() -> None:
    weights = {"x.weight": np.ones((2, 2)), "y.weight": np.ones((2, 2))}
    adapter = {"x.a": np.ones((1, 2)), "x.b": np.full((2, 1), 3.0)}
    adapted = minilm._adapted(weights, adapter)
    assert (adapted["x.weight"] == 4).all()
    assert adapted["y.weight"] is weights["y.weight"]
    assert (weights["x.weight"] == 1).all()
