"""The only package that talks to Neo4j: one typed function for each query file."""
