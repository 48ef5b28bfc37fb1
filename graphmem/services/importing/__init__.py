"""Importing folders of Markdown."""
