// Reads the wordings in which readable notes were told, the first one first.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.expiresAt > $now
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision {version: 1})
  RETURN r.at AS at, r.actor AS actor, r.content AS content, n.speaker AS speaker, n.occurredAt AS occurredAt, '' AS wording
  UNION ALL
  MATCH (n)-[:TOLD_AS]->(w:Wording)
  RETURN w.at AS at, w.actor AS actor, w.content AS content, w.speaker AS speaker, w.occurredAt AS occurredAt, w.id AS wording
}
WITH n, at, actor, content, speaker, occurredAt, wording ORDER BY at, wording
WITH n, collect({at: at.epochMillis, actor: actor, content: content, speaker: speaker, occurredAt: occurredAt.epochMillis})[..$limit] AS wordings
RETURN n.id AS id, wordings
