// Destroys a page of an owner's events, then the audiences of its notes and the counter of its stream.
CALL () {
  MATCH (n:Event {stream: $owner}) WHERE n.seq IS NOT NULL RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Audience {owner: $owner}) RETURN n LIMIT $limit
  UNION ALL
  MATCH (n:Stream {name: $owner}) RETURN n
}
WITH n LIMIT $limit
WITH n, @kind(n) AS label
DETACH DELETE n
RETURN label, count(*) AS nodes
