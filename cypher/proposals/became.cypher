// Ties a proposal to the note that it became, which tells from now on what it says.
MATCH (p:Proposal {id: $id})
MATCH (n:Note {id: $note})
CREATE (p)-[:BECAME]->(n)
SET p.content = null, p.title = null, p.draft = null, p.embedding = null, p.embedding2 = null, p.tags = [], p.entities = []
RETURN p.id AS id
