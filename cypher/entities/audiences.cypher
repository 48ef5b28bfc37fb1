// Reads the full-text words of a user's audiences.
MATCH (a:Audience {owner: $user})
RETURN a.token AS token
ORDER BY token
LIMIT 50000
