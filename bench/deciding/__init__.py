"""Measures of deciding whether two notes say the same."""
