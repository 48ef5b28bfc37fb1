// Ties what a team knows to the note and to the proposal that it came of.
MATCH (p:Proposal {id: $id})-[:ABOUT]->(n:Note)
MATCH (k:Note {id: $knowledge})
CREATE (k)-[:PROMOTED_FROM {at: $now}]->(n)
CREATE (p)-[:BECAME]->(k)
SET p.content = null
RETURN p.id AS id
