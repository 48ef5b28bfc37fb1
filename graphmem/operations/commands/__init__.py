"""One class for each thing that a viewer may ask for: what it takes, and the use case it calls."""
