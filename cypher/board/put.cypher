// Puts an entry on a team's board; a row comes only while it has the version that was read (0: it is not there) and its scope has room. A new one has a higher version than any that was removed from the scope. Of scopes that are empty by now, the board keeps $mostEmpty, those that were emptied last. The lock of the team comes first.
MATCH (t:Team {id: $team})
SET t.touched = $now
REMOVE t.touched
WITH t
OPTIONAL MATCH (old:BoardEntry {team: $team, scope: $scope, key: $key})
OPTIONAL MATCH (had:Audience {key: $audience.key})
WITH t, old, had, coalesce(had.removed, t.boardRemoved, 0) AS removed
WHERE coalesce(old.version, 0) = $version AND removed = $removed AND (old IS NOT NULL OR COUNT { MATCH (e:BoardEntry {team: $team, scope: $scope}) WHERE e.key IS NOT NULL } < $most)
CALL (t, had) {
  WITH t, had WHERE had IS NULL
  MATCH (x:Audience {owner: $audience.owner})
  USING INDEX SEEK x:Audience(owner)
  WHERE x.section = $audience.section AND NOT EXISTS { MATCH (e:BoardEntry {team: $team, scope: x.domain}) WHERE e.key IS NOT NULL }
  WITH t, x ORDER BY coalesce(x.removedAt, datetime({epochMillis: 0})) DESC, x.key SKIP $mostEmpty
  WITH t, collect(x) AS gone, max(coalesce(x.removed, 0)) AS last
  SET t.boardRemoved = CASE WHEN coalesce(t.boardRemoved, 0) < last THEN last ELSE t.boardRemoved END
  FOREACH (x IN gone | DETACH DELETE x)
}
MERGE (a:Audience {key: $audience.key})
  ON CREATE SET a:System, a = $audience
MERGE (b:BoardEntry {team: $team, scope: $scope, key: $key})
  ON CREATE SET b.version = $removed, b.audience = a.key
SET b.value = $value, b.version = b.version + 1, b.actor = $actor, b.updatedAt = $now
RETURN b {.team, .scope, .key, .value, .version, .actor, updatedAt: b.updatedAt.epochMillis} AS entry
