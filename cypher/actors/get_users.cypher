// Reads users by id.
MATCH (u:User) WHERE u.id IN $ids
RETURN u {.id, .name, .defaultVisibility} AS user
LIMIT 1000
