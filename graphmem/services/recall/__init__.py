"""Recall: what of the readable memory answers a question."""
