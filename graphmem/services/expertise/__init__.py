"""Who knows what, as far as the viewer may be told."""
