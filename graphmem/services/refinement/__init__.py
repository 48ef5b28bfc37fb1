"""Refinement of notes by an LLM, if one is set up, after they are written."""
