// The board of a team: one entry for a key of a scope; those that somebody may read.
CREATE CONSTRAINT board_entry IF NOT EXISTS FOR (n:BoardEntry) REQUIRE (n.team, n.scope, n.key) IS UNIQUE;
CREATE INDEX board_readers IF NOT EXISTS FOR (n:BoardEntry) ON (n.audience);
