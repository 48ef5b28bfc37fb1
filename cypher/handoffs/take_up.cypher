// Makes the tasks that wait for an agent those of the session that it has just opened.
MATCH (a:Agent {user: $user, id: $agent})-[:HAS_SESSION]->(s:Session {id: $session})
MATCH (h:Handoff)-[:TO]->(a)
WHERE h.endedAt IS NULL AND NOT EXISTS { (h)-[:FOR_SESSION]->() }
CREATE (h)-[:FOR_SESSION]->(s)
RETURN count(h) AS taken
