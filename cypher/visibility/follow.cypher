// Makes what hangs on the audience of notes follow it: the registered audience, the relations they back, the events about them. What was told to the readers until then stays theirs, and tags that came from other notes of theirs go.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
MERGE (a:Audience {key: row.audience.key})
  ON CREATE SET a = row.audience
SET n.audience = row.audience.key, n.audienceToken = row.audienceToken
WITH n, a
OPTIONAL MATCH (n)-[old:FOR]->(was:Audience)
DELETE old
WITH n, a, collect(was.key)[0] AS was
CREATE (n)-[:FOR]->(a)
CALL (a) {
  MATCH (mover:Agent {user: $user, id: $agent})
  MERGE (mover)-[:WRITES_FOR]->(a)
}
CALL (a) {
  WITH a WHERE $agent IS NULL
  MATCH (mover:User {id: $user})
  MERGE (mover)-[:WRITES_FOR]->(a)
}
WITH n, CASE WHEN was <> n.audience THEN was END AS was
CALL (n) {
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.audience = n.audience
}
CALL (n, was) {
  MATCH (e:Event {subjectId: n.id})
  SET e.audience = n.audience, e.audienceThen = coalesce(e.audienceThen, was)
}
WITH n, was WHERE was IS NOT NULL
CALL (n, was) {
  MATCH (n)-[:HAD]->(r:Revision)
  SET r.audience = CASE WHEN r.version < n.version THEN coalesce(r.audience, was) END,
      r.before = CASE WHEN r.version < n.version THEN r.before ELSE was END
}
CALL (n, was) {
  MATCH (n)-[:TOLD_AS]->(w:Wording)
  SET w.audience = coalesce(w.audience, was)
}
CALL (n, was) {
  MATCH (n)-[r:LINKS_TO]->(:Note)
  SET r.sourceThen = coalesce(r.sourceThen, was)
}
CALL (n, was) {
  MATCH (n)<-[r:LINKS_TO]-(:Note)
  SET r.targetThen = coalesce(r.targetThen, was)
}
CALL (n, was) {
  MATCH (c:Conflict)-[:BETWEEN]->(n)
  SET c.audienceThen = coalesce(c.audienceThen, was), c.closedIn = CASE WHEN c.open THEN null ELSE coalesce(c.closedIn, was) END
}
CALL (n) {
  WITH n WHERE n.lentTags IS NOT NULL
  SET n.tags = [tag IN n.tags WHERE NOT tag IN n.lentTags OR tag IN n.givenTags],
      n.context = split(n.context, ' (related: ')[0], n.lentTags = null
}
