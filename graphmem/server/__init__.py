"""A Neo4j server as a child process: download, Java, start, supervision and stop."""

from graphmem.server.classpath import class_path
from graphmem.server.dumping import Dumper, is_dump
from graphmem.server.embedded import EmbeddedNeo4j
from graphmem.server.jars import default_cache_dir
from graphmem.server.lockfile import (
    ServerAddress,
    holder_of,
    publish_service,
    running_server,
    running_service,
)
from graphmem.server.training import TrainingRun

__all__ = [
    "Dumper",
    "EmbeddedNeo4j",
    "ServerAddress",
    "TrainingRun",
    "class_path",
    "default_cache_dir",
    "holder_of",
    "is_dump",
    "publish_service",
    "running_server",
    "running_service",
]
