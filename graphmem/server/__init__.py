"""A Neo4j server as a child process."""
