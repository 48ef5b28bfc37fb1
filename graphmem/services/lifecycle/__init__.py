"""The life of notes: plugins that hear of it."""
