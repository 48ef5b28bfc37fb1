"""The only part that talks to Neo4j: one typed function for each query file."""
