// Gives notes that did not change meanwhile new word indexes, terms, traits and keys of their texts and records the last one. Each note's own lock comes first.
MERGE (m:Meta {name: 'words'})
  ON CREATE SET m:System
SET m.reached = $reached
WITH m
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = true
REMOVE n.touched
WITH n, row
WHERE n.version = row.version
SET n.words = row.words, n.terms = row.terms, n.traits = row.traits, n.textKey = row.textKey
WITH n
MATCH (n)-[:HAD]->(r:Revision)
WHERE r.content = n.content
SET r.textKey = n.user + '/' + n.textKey
RETURN count(*) AS notes
