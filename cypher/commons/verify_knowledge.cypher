// Notes that a member of the team holds one version of knowledge to be right, or no longer does. Its own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n:Knowledge AND n.audience IN $audiences AND n.version = $version
SET n.verifiedBy = [user IN n.verifiedBy WHERE user <> $by] + CASE WHEN $right THEN [$by] ELSE [] END
RETURN n.id AS id
