// Reads an entry of a team's board, if its readers are those given, how many entries its scope has, and the highest version that was removed from it.
RETURN COLLECT {
  MATCH (b:BoardEntry {team: $team, scope: $scope, key: $key})
  WHERE b.audience = $audience
  RETURN b {.team, .scope, .key, .value, .version, .actor, updatedAt: b.updatedAt.epochMillis}
}[0] AS entry, COUNT { MATCH (e:BoardEntry {team: $team, scope: $scope}) WHERE e.key IS NOT NULL } AS entries,
  COLLECT { MATCH (a:Audience {key: $audience}) RETURN coalesce(a.removed, 0) }[0] AS removed
