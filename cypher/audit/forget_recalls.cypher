// Takes away the records of a user's recalls from before an instant, some of them.
MATCH (r:Recall {user: $user})
USING INDEX SEEK r:Recall(user, cycle)
WHERE r.cycle IS NOT NULL AND r.at < $before
WITH r LIMIT $limit
DETACH DELETE r
RETURN count(*) AS gone
