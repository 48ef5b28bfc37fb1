"""Keeps a folder of files and the graph the same, in both directions."""
