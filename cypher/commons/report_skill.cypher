// Counts a use of a readable skill, of one version if one is given. The note's own lock comes first, so that no use is lost.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n:Skill AND n.audience IN $audiences AND CASE WHEN n.section IS NOT NULL AND n.archivedBy = 'system:decay' THEN true ELSE n.status IN $statuses END AND n.version = coalesce($version, n.version)
SET n.lastUsedAt = $now,
    n.successCount = n.successCount + CASE WHEN $success THEN 1 ELSE 0 END,
    n.failureCount = n.failureCount + CASE WHEN $success THEN 0 ELSE 1 END,
    n.workedFor = CASE WHEN $success AND n.user = $by AND NOT $agent IN coalesce(n.workedFor, []) THEN (coalesce(n.workedFor, []) + $agent)[-20..] ELSE n.workedFor END,
    n.usedBy = CASE WHEN $success AND NOT $by IN n.usedBy THEN n.usedBy + $by ELSE n.usedBy END
RETURN n.id AS id
