// Invitations that were given before are nodes of their own, too.
MATCH (u:User)-[i:INVITED_TO]->(t:Team)
CALL (u, i, t) {
  MERGE (n:Invitation {team: t.id, user: u.id})
    ON CREATE SET n.by = i.by, n.at = i.at, n.open = true
  DELETE i
} IN TRANSACTIONS OF 1000 ROWS;
