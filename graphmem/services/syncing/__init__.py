"""A folder that is kept equal with the graph."""
