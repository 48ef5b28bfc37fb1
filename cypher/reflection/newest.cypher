// Finds how many reflections a maker has made, and when the newest was made.
MATCH (r:Reflection {user: $user, maker: $maker})
WHERE r.number IS NOT NULL
RETURN max(r.number) AS number, max(r.at) AS at
