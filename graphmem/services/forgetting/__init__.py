"""Forgetting, and destroying for good."""
