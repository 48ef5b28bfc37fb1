"""Names: their forms, and which are of one thing."""
