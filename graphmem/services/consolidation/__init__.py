"""Consolidation: knowledge is made of a day's episodes."""
