"""Measures a year of a memory."""
