// Reads an entry of a team's board, if its readers are those given, how many entries its scope has, the highest version that was removed from it, and, of an empty scope, how many others the board has.
WITH COUNT { MATCH (e:BoardEntry {team: $team, scope: $scope}) WHERE e.key IS NOT NULL } AS entries
RETURN COLLECT {
  MATCH (b:BoardEntry {team: $team, scope: $scope, key: $key})
  WHERE b.audience = $audience
  RETURN b {.team, .scope, .key, .value, .version, .actor, updatedAt: b.updatedAt.epochMillis}
}[0] AS entry, entries, COLLECT {
  MATCH (t:Team {id: $team})
  OPTIONAL MATCH (a:Audience {key: $audience})
  RETURN coalesce(a.removed, t.boardRemoved, 0)
}[0] AS removed, COUNT {
  WITH entries WHERE entries = 0
  MATCH (a:Audience {owner: 't:' + $team})
  USING INDEX SEEK a:Audience(owner)
  WHERE a.section = 'board' AND a.key <> $audience AND EXISTS { MATCH (e:BoardEntry {team: $team, scope: a.domain}) WHERE e.key IS NOT NULL }
} AS scopes
