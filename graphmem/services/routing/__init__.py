"""Whom to ask: routing a task, and asking others."""
