"""The commons of a team as a file: writing it, and bringing it back."""
