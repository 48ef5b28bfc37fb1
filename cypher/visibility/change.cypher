// Gives notes another visibility, with a revision each.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.visibility = row.audience.visibility, n.visibilityByUser = n.visibilityByUser OR row.byUser,
    n.curatedKey = null, n.version = n.version + 1, n.updatedAt = $now
CREATE (n)-[:HAD]->(:Revision {version: n.version, at: $now, actor: $actor, content: n.content, changes: row.changes})
RETURN n.id AS id, n.version AS version
