"""The neighbourhood of a node: what a graph around it shows."""
