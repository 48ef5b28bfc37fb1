// Makes notes of a user skills.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
WHERE n.user = $user
SET n:Skill
RETURN n.id AS place
