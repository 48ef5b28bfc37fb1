// Proposals: by id, by the request that made one, those of a user or an agent, those for the same readers, and those to a team.
CREATE CONSTRAINT proposal_id IF NOT EXISTS FOR (n:Proposal) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT proposal_request IF NOT EXISTS FOR (n:Proposal) REQUIRE (n.user, n.requestKey) IS UNIQUE;
CREATE INDEX proposal_author IF NOT EXISTS FOR (n:Proposal) ON (n.user, n.author);
CREATE INDEX proposal_user IF NOT EXISTS FOR (n:Proposal) ON (n.user);
CREATE INDEX proposal_readers IF NOT EXISTS FOR (n:Proposal) ON (n.audience, n.kind);
CREATE INDEX proposal_team IF NOT EXISTS FOR (n:Proposal) ON (n.team);
