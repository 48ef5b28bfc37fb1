// Reads who asks (user, agent) and which audiences the user's notes have.
OPTIONAL MATCH (u:User {id: $user})
OPTIONAL MATCH (a:Agent {user: $user, id: $agent})
RETURN u {.id, .name, .defaultVisibility} AS user,
       a {.id, .name, .role, .domains, .canSeePrivate, .writes, .status, .currentTask, .lastActiveAt} AS agent,
       COLLECT {
         MATCH (x:Audience {owner: $user})
         RETURN [x.visibility, x.domain, x.author]
         LIMIT 20000
       } AS audiences
