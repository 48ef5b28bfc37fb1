"""The commons: skills and standard procedures."""
