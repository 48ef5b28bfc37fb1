// Sets what an agent says of itself: its status, what it works on, and when it said so.
MATCH (u:User {id: $user})
MATCH (a:Agent {user: $user, id: $agent})
SET a.status = $status, a.currentTask = $task, a.lastActiveAt = $now
RETURN @profile(a, u) AS agent
