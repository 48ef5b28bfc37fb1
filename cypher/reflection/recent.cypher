// Counts the reflections that a maker has made since a time.
MATCH (r:Reflection {user: $user, maker: $maker})
WHERE r.at > $since
RETURN count(r) AS made
