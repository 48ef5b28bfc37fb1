// Counts the proposals that an agent has made, of those that are not over.
MATCH (p:Proposal {user: $user, author: $agent})
WHERE p.expiresAt > $now
RETURN count(p) AS made
