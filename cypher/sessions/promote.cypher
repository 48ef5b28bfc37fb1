// Keeps which notes came of the local memory of a session; `added`: the note was not there before.
UNWIND $rows AS row
MATCH (s:Session {id: $id})
MATCH (n:Note {id: row.note})
MERGE (s)-[p:PROMOTED]->(n)
  ON CREATE SET p.added = row.added, p.at = $now
RETURN count(p) AS promoted
