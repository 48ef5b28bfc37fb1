// Makes a note a skill.
MATCH (n:Note {id: $id})
SET n:Skill
RETURN n.id AS id
