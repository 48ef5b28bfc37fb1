"""Reading notes, entities and counts through the gate."""
