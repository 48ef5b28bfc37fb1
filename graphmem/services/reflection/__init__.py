"""Reflections: going through the memory, and deciding what comes of it."""
