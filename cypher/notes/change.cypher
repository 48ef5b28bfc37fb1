// Changes notes, with a revision for each change, and makes what hangs on their audience follow it; a row comes only if all of them still have the version and the readers that the change was decided upon, and have the readers afterwards that follow from owner, visibility or section, domain and author. Each note's own lock comes first. A text with another vector has no passages until it is given new ones, and no vector of the other slot. The name by which Neo4j Browser draws a note follows its title and text. What was told to the readers until then stays theirs, and tags that came from other notes of theirs go. A procedure with other words has yet to prove itself. What rules held of a note goes when it gets another text or status.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = $now
REMOVE n.touched
WITH n, row
WHERE n.version = row.version AND n.audience = row.audience
WITH n, row, n.kind = 'PROCEDURAL' AND coalesce(any(words IN [[row.given.content, n.content], [row.given.title, n.title], [row.given.trigger, n.trigger]]
  WHERE words[0] <> coalesce(words[1], '')), false) AS renewed
FOREACH (other IN CASE WHEN renewed THEN [n] ELSE [] END | SET other.wordedAt = $now, other.workedFor = null)
FOREACH (other IN CASE WHEN renewed AND n:Skill THEN [n] ELSE [] END | SET other.successCount = 0, other.failureCount = 0, other.usedBy = [])
SET n += row.given, n.version = row.version + size(row.revisions), n.updatedAt = $now,
    n.givenTags = n.givenTags + [tag IN row.givenTags WHERE NOT tag IN n.givenTags],
    n.lentTags = CASE WHEN size(row.lentTags) > 0 THEN coalesce(n.lentTags, []) + row.lentTags ELSE n.lentTags END,
    n.givenKeywords = CASE WHEN row.givenKeywords = [] THEN n.givenKeywords ELSE row.givenKeywords END
SET n.name = left(btrim(replace(replace(coalesce(n.title, left(n.content, 240)), '\n', ' '), '\t', ' ')), 60)
@settled(n)
WITH n, row
WHERE coalesce(row.readers.key, n.audience) = CASE WHEN n.section IS NOT NULL THEN n.user + '/' + n.section + '/' + n.domain
  ELSE 'u:' + n.user + '/' + n.visibility + '/' + CASE WHEN n.visibility IN ['PRIVATE', 'LOCAL'] THEN coalesce(n.author, '~') + '/' ELSE '' END + n.domain END
CALL (n, row) {
  UNWIND row.revisions AS revision
  CREATE (n)-[:HAD]->(:Revision:System {version: revision.version, at: $now, actor: $actor, content: coalesce(revision.content, n.content), textKey: n.user + '/' + CASE WHEN revision.content IS NULL THEN n.textKey ELSE revision.textKey END, changes: revision.changes})
}
CALL (n, row) {
  WITH n, row WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
  REMOVE n.embedding2
}
CALL (n, row) {
  WITH n, row WHERE row.vector IS NOT NULL
  MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
  DETACH DELETE p
}
CALL (n, row) {
  WITH n, row WHERE row.vector IS NOT NULL OR row.given.content IS NOT NULL OR row.given.status IS NOT NULL
  @unheld(n)
}
CALL (n, row) {
  WITH n, row WHERE row.given.status IS NOT NULL AND row.endedAt IS NOT NULL
  MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
  SET r.validTo = coalesce(r.validTo, row.endedAt)
}
CALL (n, row) {
  WITH n, row, n.audience AS was WHERE row.readers.key <> n.audience
  @unknown(n)
  MERGE (a:Audience {key: row.readers.key})
    ON CREATE SET a:System, a = row.readers
  SET n.audience = row.readers.key, n.audienceToken = row.readersToken
  WITH n, a, was
  CALL (n) {
    MATCH (n)-[old:FOR]->(:Audience)
    DELETE old
  }
  CREATE (n)-[:FOR]->(a)
  WITH n, a, was
  CALL (a) {
    MATCH (mover:Agent {user: $user, id: $agent})
    MERGE (mover)-[:WRITES_FOR]->(a)
  }
  CALL (a) {
    WITH a WHERE $agent IS NULL
    MATCH (mover:User {id: $user})
    MERGE (mover)-[:WRITES_FOR]->(a)
  }
  CALL (n) {
    MATCH ()-[r:RELATES_TO {noteId: n.id}]->()
    SET r.audience = n.audience
  }
  CALL (n) {
    MATCH (n)-[:HAS_PASSAGE]->(p:Passage)
    SET p.audience = n.audience
  }
  CALL (n, was) {
    MATCH (e:Event {subjectId: n.id})
    SET e.audience = n.audience, e.audienceThen = coalesce(e.audienceThen, was)
  }
  CALL (n, was) {
    MATCH (e:Event {otherId: n.id})
    SET e.otherAudience = n.audience, e.otherThen = coalesce(e.otherThen, was)
  }
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
}
WITH count(*) AS changed
WHERE changed = size($rows)
RETURN changed
