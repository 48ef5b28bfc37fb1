"""Exporting all that a user owns, or that an agent may read, in the portable format."""
