"""graphmem: the memory of a team of people and their AI agents, kept as a Neo4j property graph."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("graphmem")
except PackageNotFoundError:  # the checkout itself is on the path, without an install
    __version__ = "0.0.0"
