"""Recall: finds the readable notes that answer a question."""
