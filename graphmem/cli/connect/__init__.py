"""Connecting agents' programs: their configuration for MCP, and their hooks."""
