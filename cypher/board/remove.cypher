// Takes an entry off a team's board; a row comes only while it has the version that was read. What is posted there later has a higher version than any that was removed from the scope. The lock of the team comes first.
MATCH (t:Team {id: $team})
SET t.touched = $now
REMOVE t.touched
WITH t
MATCH (b:BoardEntry {team: $team, scope: $scope, key: $key})
WHERE b.version = $version
MATCH (a:Audience {key: b.audience})
USING INDEX SEEK a:Audience(key)
SET a.removed = CASE WHEN coalesce(a.removed, 0) < b.version THEN b.version ELSE a.removed END, a.removedAt = $now
DELETE b
RETURN $key AS key
