// Handoffs by id, and those of a user.
CREATE CONSTRAINT handoff_id IF NOT EXISTS FOR (n:Handoff) REQUIRE n.id IS UNIQUE;
CREATE INDEX handoff_user IF NOT EXISTS FOR (n:Handoff) ON (n.user);
