"""Reflections: going through the memory, and deciding about the result."""
