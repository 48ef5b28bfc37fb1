// Gives notes that did not change meanwhile new word indexes and traits and records the last one. Each note's own lock comes first.
MERGE (m:Meta {name: 'words'})
SET m.reached = $reached
WITH m
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = true
REMOVE n.touched
WITH n, row
WHERE n.version = row.version
SET n.words = row.words, n.traits = row.traits
RETURN count(*) AS notes
