// Ends a note's waiting for an LLM.
MATCH (n:Note {id: $id})
REMOVE n.refineAt, n.refineTask, n.refineTries
RETURN n.id AS id
