// Creates a note of a team: a skill, or knowledge.
MERGE (a:Audience {key: $audience.key})
  ON CREATE SET a = $audience
CREATE (n:Note:Current)
SET n = $properties
FOREACH (skill IN CASE WHEN $skill THEN [n] ELSE [] END | SET skill:Skill)
FOREACH (knowledge IN CASE WHEN $skill THEN [] ELSE [n] END | SET knowledge:Knowledge)
CREATE (n)-[:FOR]->(a)
CREATE (n)-[:HAD]->(:Revision {version: 1, at: $now, actor: $actor, content: n.content, changes: '{}'})
WITH n
CALL db.create.setNodeVectorProperty(n, 'embedding', $embedding)
RETURN n.id AS id
