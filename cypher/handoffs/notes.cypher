// Finds the readable notes of some handoffs of a user, each in its order.
UNWIND $handoffs AS id
MATCH (h:Handoff {id: id, user: $user})-[l:LENDS]->(n:Note)
USING INDEX SEEK h:Handoff(id)
WHERE @readable(n)
WITH h, n ORDER BY h.id, l.place
RETURN collect([h.id, n.id]) AS rows
