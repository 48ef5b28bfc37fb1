// The consonants of a name are called what they are.
MATCH (e:Entity)
WHERE e.bones IS NOT NULL
CALL (e) {
  SET e.consonants = e.bones
  REMOVE e.bones
} IN TRANSACTIONS OF 1000 ROWS;
