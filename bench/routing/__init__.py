"""Measures whom a task is routed to."""
