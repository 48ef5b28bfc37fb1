// Makes writers of a team's skills wait for each other, and gives a row only while no skill of the team has the name.
MATCH (t:Team {id: $team})
SET t.touched = $now
REMOVE t.touched
WITH t
WHERE NOT EXISTS {
  MATCH (n:Note {user: $owner, titleKey: $key})
  USING INDEX SEEK n:Note(user, titleKey)
  WHERE n:Skill AND n.audience = $audience AND n.expiresAt > $now AND CASE WHEN n.section IS NOT NULL AND n.archivedBy = 'system:decay' THEN true ELSE n.status IN $statuses END AND NOT EXISTS {
    (n)-[:PROMOTED_FROM]->(o:Note) WHERE o.status = 'ARCHIVED' AND o.archivedBy IS NULL
  }
}
RETURN t.id AS team
