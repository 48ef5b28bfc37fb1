// Ends the refinement of a note by an LLM.
MATCH (n:Note {id: $id})
REMOVE n.refineAt, n.refineTask, n.refineTries
RETURN n.id AS id
