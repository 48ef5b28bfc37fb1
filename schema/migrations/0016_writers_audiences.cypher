// Notes for which audiences a user or an agent has written, since that number is limited.
MATCH (w:Agent|User)-[:WROTE]->(:Note)-[:FOR]->(a:Audience)
WITH DISTINCT w, a
CALL (w, a) {
  MERGE (w)-[:WRITES_FOR]->(a)
} IN TRANSACTIONS OF 1000 ROWS;
