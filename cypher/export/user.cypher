// Reads what a user has set.
MATCH (u:User {id: $user})
RETURN u {.id, .name, .defaultVisibility, .promotionOptOuts, .agentDomains, .agentsSeePrivate, .createdAt} AS row
