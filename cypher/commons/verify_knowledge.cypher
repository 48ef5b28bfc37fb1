// Notes that a member of the team holds one version of knowledge to be right, which is a use of it, or no longer does. Its own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n:Knowledge AND n.audience IN $audiences AND n.version = $version
SET n.verifiedBy = [user IN n.verifiedBy WHERE user <> $by] + CASE WHEN $right THEN [$by] ELSE [] END,
    n.lastUsedAt = CASE WHEN $right THEN $now ELSE n.lastUsedAt END
RETURN n.id AS id
