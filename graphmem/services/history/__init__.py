"""Going back to an earlier state of notes."""
