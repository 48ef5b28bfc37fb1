// The commons: one standard procedure a domain, and the skills that a viewer may read.
CREATE CONSTRAINT sop_key IF NOT EXISTS FOR (n:Sop) REQUIRE (n.owner, n.domain) IS UNIQUE;
CREATE INDEX skill_audience IF NOT EXISTS FOR (n:Skill) ON (n.audience);
