// Registers an audience.
MERGE (a:Audience {key: $audience.key})
  ON CREATE SET a:System, a = $audience
RETURN a.key AS key
