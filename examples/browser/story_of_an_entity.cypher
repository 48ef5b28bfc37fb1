// What is the story of an entity? What notes say of it, in the order in which it happened.
:param user => 'mara';
:param name => 'Brindlow & Fox';
MATCH (e:Entity {user: $user} WHERE e.name = $name)<-[:MENTIONS]-(n:Note)
RETURN n.happenedAt AS at, n.title AS title, n.content AS content, n.status AS status,
  COLLECT { MATCH (e)-[r:RELATES_TO {noteId: n.id}]-(o:Entity) RETURN r.predicate + ' ' + o.name } AS relations
ORDER BY at LIMIT 200;
