// Pins a note, so that it never decays, or lets it decay again.
MATCH (n:Note {id: $id})
SET n.pinned = $pinned, n.halfLifeHours = CASE WHEN $pinned THEN null ELSE coalesce(n.halfLifeHours, $halfLifeHours) END,
    n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: $changes})
RETURN n.version AS version
