// Keeps a new key; of its secret only the SHA-256.
CREATE (k:ApiKey:System {id: $id, hash: $hash, scope: $scope, user: $user, agent: $agent, name: $name, createdAt: $now, expiresAt: $expiresAt})
RETURN k.id AS id
