"""Writing: drafts become notes, and notes are changed."""
