// Registers a team, or sets its name and members; a row comes only if the team still has the version that was decided upon, whoever registers a new one has registered fewer than $most, who joins ($asked) is invited, and whoever invites has invited few others lately. Whose membership changes is told by the version of the access; what somebody who leaves shared with the team is shared no more, and what they proposed to it is rejected. An invitation makes no user and changes none; it ends with whoever gave it, which is counted all the same, and who is invited is no member before they agree. Who is named again is invited again, as whoever names them is not told of a decline.
MERGE (registrar:User {id: $by})
SET registrar.touched = $now
REMOVE registrar.touched
MERGE (t:Team {id: $id})
  ON CREATE SET t.version = 0, t.joined = 0, t.name = $id, t.createdAt = $now
SET t.touched = $now
REMOVE t.touched
WITH registrar, t
WHERE t.version = $version AND ($version > 0 OR COUNT { (registrar)-[:REGISTERED]->(:Team) } < $most)
  AND ($asked IS NULL OR EXISTS {
    MATCH (i:Invitation {team: $id, user: $asked})
    USING INDEX SEEK i:Invitation(team, user)
    WHERE i.open AND i.at > $since AND coalesce(i.declinedAt < i.at, true) AND EXISTS { (:User {id: i.by})-[:MEMBER_OF]->(t) }
  })
  AND (size($invited) = 0 OR size($invited) + COUNT { MATCH (i:Invitation {by: $by}) USING INDEX SEEK i:Invitation(by, at) WHERE i.at > $since } <= $mostInvited)
FOREACH (new IN CASE WHEN $version = 0 THEN [t] ELSE [] END | CREATE (registrar)-[:REGISTERED]->(new))
SET t.version = t.version + 1, t.name = coalesce($name, t.name), t.joined = t.joined + size($coming)
CALL (t) {
  UNWIND $changed AS row
  MERGE (u:User {id: row.id})
    ON CREATE SET u.name = row.id, u.defaultVisibility = 'SCOPED', u.createdAt = $now
  SET u.accessVersion = coalesce(u.accessVersion, 0) + 1
  WITH t, u, row
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'gone'
    MATCH (u)-[m:MEMBER_OF|SHARES]->(t)
    DELETE m
  }
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'gone'
    MATCH (i:Invitation {by: u.id})
    USING INDEX SEEK i:Invitation(by, at)
    WHERE i.team = t.id AND i.at IS NOT NULL
    SET i.open = false
  }
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'gone'
    MATCH (p:Proposal {user: u.id}) USING INDEX SEEK p:Proposal(team)
    WHERE p.team = t.id AND p.kind IN ['PROMOTION', 'REVISION']
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
  CALL (t, u, row) {
    WITH t, u, row WHERE row.state = 'member'
    MATCH (i:Invitation {team: t.id, user: u.id})
    USING INDEX SEEK i:Invitation(team, user)
    DELETE i
  }
}
CALL (t) {
  UNWIND $invited AS id
  MERGE (i:Invitation {team: t.id, user: id})
    ON CREATE SET i:System
  SET i.by = $by, i.at = $now, i.open = true
}
CALL (t) {
  UNWIND $renewed AS id
  MATCH (i:Invitation {team: t.id, user: id})
  USING INDEX SEEK i:Invitation(team, user)
  WHERE i.open
  SET i.at = $now
}
CALL (t) {
  UNWIND $uninvited AS id
  MATCH (i:Invitation {team: t.id, user: id})
  USING INDEX SEEK i:Invitation(team, user)
  SET i.open = false
}
CALL (registrar) {
  MATCH (i:Invitation {by: registrar.id})
  USING INDEX SEEK i:Invitation(by, at)
  WHERE i.at <= $since AND coalesce(i.declinedAt, i.at) <= $since
  WITH i LIMIT 100
  DELETE i
}
RETURN t.id AS id
