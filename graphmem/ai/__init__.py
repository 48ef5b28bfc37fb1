"""Models: texts to vectors, and texts to the terms of the full-text index."""
