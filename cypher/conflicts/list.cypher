// Lists a user's open or closed conflicts between readable notes, newest first, if those who read the notes then may know of it; where $alike, only those of notes with the same readers; or one of them by id.
MATCH (c:Conflict {user: $user})
USING INDEX SEEK c:Conflict(user, open)
WHERE c.open IN $open AND ($id IS NULL OR c.id = $id)
  AND ('u:' + $user IN $audiences OR all(then IN [c.audienceThen, c.otherThen, c.closedIn] WHERE then IS NULL OR then IN $audiences))
MATCH (c)-[:BETWEEN]->(n:Note)
WHERE @readable(n)
WITH c, n ORDER BY n.createdAt, n.id
WITH c, collect(n.id) AS notes, count(DISTINCT n.audience) AS readers
WHERE size(notes) = 2 AND (readers = 1 OR NOT $alike)
RETURN c.id AS id, c.similarity AS similarity, c.verdict AS verdict, c.open AS open, c.resolution AS resolution,
       c.at.epochMillis AS at, notes
ORDER BY at DESC, id DESC
LIMIT $limit
