// A name that one note introduces in small letters is no cased name: reads rely on it.
MATCH (:Note)-[m:MENTIONS {given: true, cased: false}]->(e:Entity)
WHERE e.cased
WITH DISTINCT e
CALL (e) {
  SET e.cased = false
} IN TRANSACTIONS OF 1000 ROWS;
