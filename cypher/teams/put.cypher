// Registers a team, or sets its name and members; a row comes only if the team still has the version that was decided upon, and whoever registers a new one has registered fewer than $most. Whose membership changes is told by the version of the access; what somebody who leaves shared with the team is shared no more, and what they proposed to it is rejected. Who is invited is no member before they agree.
MERGE (registrar:User {id: $by})
SET registrar.touched = $now
REMOVE registrar.touched
MERGE (t:Team {id: $id})
  ON CREATE SET t.version = 0, t.joined = 0, t.name = $id, t.createdAt = $now
SET t.touched = $now
REMOVE t.touched
WITH registrar, t
WHERE t.version = $version AND ($version > 0 OR COUNT { (registrar)-[:REGISTERED]->(:Team) } < $most)
FOREACH (new IN CASE WHEN $version = 0 THEN [t] ELSE [] END | CREATE (registrar)-[:REGISTERED]->(new))
SET t.version = t.version + 1, t.name = coalesce($name, t.name), t.joined = t.joined + size($coming)
CALL (t) {
  UNWIND $changed AS row
  MERGE (u:User {id: row.id})
    ON CREATE SET u.name = row.id, u.defaultVisibility = 'SCOPED', u.createdAt = $now
  SET u.accessVersion = coalesce(u.accessVersion, 0) + CASE WHEN row.state = 'invited' THEN 0 ELSE 1 END
  WITH t, u, row
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state <> 'invited'
    MATCH (u)-[i:INVITED_TO]->(t)
    DELETE i
  }
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'invited'
    MERGE (u)-[i:INVITED_TO]->(t)
      ON CREATE SET i.at = $now, i.by = $by
  }
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'gone'
    MATCH (u)-[m:MEMBER_OF|SHARES]->(t)
    DELETE m
  }
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'gone'
    MATCH (p:Proposal {user: u.id, kind: 'PROMOTION'}) USING INDEX SEEK p:Proposal(team)
    WHERE p.team = t.id
    SET p.touched = $now
    REMOVE p.touched
    WITH p WHERE p.status IN $open
    SET p.status = 'REJECTED', p.consented = false, p.reason = $reason, p.version = p.version + 1
  }
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'member'
    MERGE (u)-[m:MEMBER_OF]->(t)
      ON CREATE SET m.at = $now, m.place = t.joined - size($coming) + row.place
  }
}
RETURN t.id AS id
