// Makes a note of a team knowledge.
MATCH (n:Note {id: $id})
SET n:Knowledge
RETURN n.id AS id
