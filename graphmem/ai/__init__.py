"""Embedding models and text analysis."""
