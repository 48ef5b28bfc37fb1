"""What an LLM, if one is set up, adds to notes after they are written."""
