// Gives older notes the name by which Neo4j Browser draws them: the title, else how the text begins.
MATCH (n:Note)
WHERE n.name IS NULL
CALL (n) {
  SET n.name = left(btrim(replace(replace(coalesce(n.title, left(n.content, 240)), '\n', ' '), '\t', ' ')), 60)
} IN TRANSACTIONS OF 1000 ROWS;
