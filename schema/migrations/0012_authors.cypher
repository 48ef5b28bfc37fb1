// The external ids that there are become those of their notes' authors. What notes were to other readers before is for the user in person, and tags that notes took from others are noted beside them.
MATCH (n:Note)
WHERE n.externalId IS NOT NULL AND n.externalKey IS NULL
CALL (n) {
  SET n.externalKey = coalesce(n.author, '') + '|' + n.externalId
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (n:Note)-[:HAD]->(r:Revision)
WHERE r.changes CONTAINS '"visibility":' OR r.changes CONTAINS '"domain":'
WITH n, max(r.version) AS moved, max(r.at) AS at
CALL (n, moved, at) {
  CALL (n, moved) {
    MATCH (n)-[:HAD]->(r:Revision)
    WHERE r.version < moved AND r.audience IS NULL
    SET r.audience = 'u:' + n.user
  }
  CALL (n, moved) {
    MATCH (n)-[:HAD]->(r:Revision {version: moved})
    SET r.before = coalesce(r.before, 'u:' + n.user)
  }
  CALL (n, at) {
    MATCH (n)-[:TOLD_AS]->(w:Wording)
    WHERE w.at < at AND w.audience IS NULL
    SET w.audience = 'u:' + n.user
  }
  CALL (n, at) {
    MATCH (e:Event {subjectId: n.id})
    WHERE e.at < at AND e.audienceThen IS NULL
    SET e.audienceThen = 'u:' + n.user
  }
  CALL (n, at) {
    MATCH (c:Conflict)-[:BETWEEN]->(n)
    WHERE c.at < at AND c.audienceThen IS NULL
    SET c.audienceThen = 'u:' + n.user
  }
  CALL (n, at) {
    MATCH (n)-[r:LINKS_TO]->(:Note)
    WHERE r.at < at AND r.sourceThen IS NULL
    SET r.sourceThen = 'u:' + n.user
  }
  CALL (n, at) {
    MATCH (n)<-[r:LINKS_TO]-(:Note)
    WHERE r.at < at AND r.targetThen IS NULL
    SET r.targetThen = 'u:' + n.user
  }
} IN TRANSACTIONS OF 200 ROWS;
MATCH (n:Note)<-[r:LINKS_TO]-(:Note)
WHERE r.gave IS NOT NULL
WITH n, collect(DISTINCT r.gave) AS gave
CALL (n, gave) {
  SET n.lentTags = coalesce(n.lentTags, []) + [tag IN gave WHERE NOT tag IN coalesce(n.lentTags, [])]
} IN TRANSACTIONS OF 1000 ROWS;
