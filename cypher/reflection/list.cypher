// Lists a user's reflections, those of one maker only where one is named, newest first; or one of them by id.
MATCH (r:Reflection {user: $user})
USING INDEX SEEK r:Reflection(user)
WHERE ($maker IS NULL OR r.maker = $maker) AND r.status IN $statuses AND ($id IS NULL OR r.id = $id)
WITH r ORDER BY r.at DESC, r.number DESC, r.id DESC LIMIT $limit
RETURN r.id AS id, r.number AS number, r.maker AS maker, r.status AS status, r.at.epochMillis AS at, r.numbers AS numbers,
  r.tokensUsed AS tokensUsed, r.tokenBudget AS tokenBudget,
  COLLECT {
    MATCH (r)-[h:HAS_ITEM]->(i:ReflectionItem)
    RETURN i {.id, .kind, .audience, .numbers, .accepted,
      notes: COLLECT { MATCH (i)-[a:ABOUT]->(n:Note) RETURN [n.id, a.version] ORDER BY a.place }}
    ORDER BY h.place
  } AS items
ORDER BY at DESC, number DESC, id DESC
