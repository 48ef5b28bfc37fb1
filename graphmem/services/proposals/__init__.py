"""Proposals: notes that wait for a decision."""
