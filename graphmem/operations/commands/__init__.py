"""One class for each thing that a viewer may ask for: its parameters, and its use case."""
