"""The command lines of the server and of its admin tool."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from graphmem.errors import Misconfigured
from graphmem.server.java import VECTOR_MODULE, Java

SERVER_CLASS = "org.neo4j.server.Neo4jCommunity"
ADMIN_CLASS = "org.neo4j.server.startup.Neo4jAdminCommand"
# The options of Neo4j's own launcher, without those that only its own files need.
JVM_OPTIONS = (
    "-XX:+UseG1GC",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:+TrustFinalNonStaticFields",
    "-XX:+DisableExplicitGC",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.leakDetection.level=DISABLED",
    "-Djdk.tls.ephemeralDHKeySize=2048",
    "-Djdk.tls.rejectClientInitiatedRenegotiation=true",
    "-Dlog4j2.disable.jmx=true",
    "-Dlog4j.layout.jsonTemplate.maxStringLength=32768",
    "-Dorg.neo4j.shaded.lucene9.vectorization.upperJavaFeatureVersion=25",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Dfile.encoding=UTF-8",
)
# Java needs no more of our environment, and the rest may hold secrets.
PASSED_ON = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ", "LD_LIBRARY_PATH")


def memory_size(text: str, name: str) -> str:
    """Check an amount of memory such as `512m` or `1g`; raises Misconfigured."""
    if not re.fullmatch(r"[1-9]\d*[kmg]", text, re.IGNORECASE):
        raise Misconfigured(f"{name} is {text!r}; write a number and k, m or g, such as 512m.")
    return text.lower()


def java_options(java: Java) -> list[str]:
    """Return the options of the server's Java except its memory and its class path."""
    modules = [f"--add-modules={VECTOR_MODULE}"] if java.vector else []
    return [*JVM_OPTIONS, *modules]


def server_command(
    java: Java, home: Path, class_path: str, heap: str, extra: Sequence[str] = ()
) -> list[str]:
    """Return the command that runs the server in the foreground; `extra` are options of Java."""
    jars = os.pathsep.join((*extensions(home), class_path))
    return [
        str(java.path),
        f"-Xms{heap}",
        f"-Xmx{heap}",
        *java_options(java),
        *extra,
        "-cp",
        jars,
        SERVER_CLASS,
        f"--home-dir={home}",
        f"--config-dir={home / 'conf'}",
        "--console-mode",
    ]


def extensions(home: Path) -> list[str]:
    """Return the parts of the class path with jars that somebody has put into the server's
    folder."""
    folders = (home / "plugins", home / "conf")
    return [str(folder / "*") for folder in folders if any(folder.glob("*.jar"))]


def environment(home: Path) -> dict[str, str]:
    """Return the environment variables of a Java process."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**kept, "NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}
