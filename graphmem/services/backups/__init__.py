"""Backups of the whole graph: writing, checking and restoring them."""
