// Keeps a proposal that a team is to know what a note says; a row comes only while the note is as it was read, its owner does not keep its domain out of promotion, and neither an open proposal nor what the team knows of it is there that its viewer reads ($shared, $known: audiences of teams, null: all); the others stand against its owner's consent. The locks come first.
MATCH (n:Note {id: $note})
MATCH (u:User {id: n.user})
SET u.touched = $now, n.touched = $now
REMOVE u.touched, n.touched
WITH n, u
WHERE n.version = $version AND n.audience = $audience
  AND none(out IN coalesce(u.promotionOptOuts, []) WHERE n.domain = out OR n.domain STARTS WITH out + '/')
  AND NOT EXISTS { (p:Proposal {team: $team})-[:ABOUT]->(n) WHERE p.status IN $open AND p.expiresAt > $now AND CASE p.consented WHEN true THEN p.audience IN coalesce($shared, [p.audience]) ELSE true END }
  AND NOT EXISTS { (k:Note)-[:PROMOTED_FROM]->(n) WHERE k.user = $owner AND k.audience IN coalesce($known, [k.audience]) }
MERGE (a:Audience {key: $readers.key})
  ON CREATE SET a:System, a = $readers
CREATE (p:Proposal)
SET p = $properties
CREATE (p)-[:ABOUT]->(n)
RETURN p.id AS id
