// Lists the readable entries of boards, of one team, one scope and with one beginning of their keys where these are given.
UNWIND $audiences AS audience
MATCH (b:BoardEntry {audience: audience})
WHERE ($team IS NULL OR b.team = $team) AND ($scope IS NULL OR b.scope = $scope) AND b.key STARTS WITH $prefix
WITH b ORDER BY b.team, b.scope, b.key LIMIT $limit
RETURN collect(b {.team, .scope, .key, .value, .version, .actor, updatedAt: b.updatedAt.epochMillis}) AS rows
