// Conflicts: one for a pair of notes; a user's open ones are listed.
CREATE CONSTRAINT conflict_id IF NOT EXISTS FOR (n:Conflict) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT conflict_pair IF NOT EXISTS FOR (n:Conflict) REQUIRE (n.user, n.pair) IS UNIQUE;
CREATE INDEX conflict_open IF NOT EXISTS FOR (n:Conflict) ON (n.user, n.open);
