"""Teams and what they share."""
