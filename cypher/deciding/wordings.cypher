// Reads the wordings in which readable notes were told, the first one first; those of a time with other readers for who could read them then.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE @readable(n)
CALL (n) {
  MATCH (n)-[:HAD]->(r:Revision {version: 1})
  WHERE (@past(r, n)) AND (n.section IS NULL OR r.version = n.version)
  RETURN r.at AS at, r.actor AS actor, r.content AS content, n.speaker AS speaker, n.occurredAt AS occurredAt, '' AS wording
  UNION ALL
  MATCH (n)-[:TOLD_AS]->(w:Wording)
  WHERE @past(w, n)
  RETURN w.at AS at, w.actor AS actor, w.content AS content, w.speaker AS speaker, w.occurredAt AS occurredAt, w.id AS wording
}
WITH n, at, actor, content, speaker, occurredAt, wording ORDER BY at, wording
WITH n, collect({at: at.epochMillis, actor: actor, content: content, speaker: speaker, occurredAt: occurredAt.epochMillis})[..$limit] AS wordings
RETURN n.id AS id, wordings
