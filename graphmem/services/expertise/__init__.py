"""Experts: who knows what, as far as the viewer may learn it."""
