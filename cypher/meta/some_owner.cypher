// Names a user who has notes, whichever comes first.
MATCH (n:Note)
RETURN n.user AS user
LIMIT 1
