// An index of the time of expiry alone is what Neo4j plans, as long as the graph is small, for queries that only leave out what is expired: it then reads all notes. A second property, of which no query has a condition, leaves the index to the one query that names it.
DROP INDEX note_expires IF EXISTS;
CREATE INDEX note_expires_importance IF NOT EXISTS FOR (n:Note) ON (n.expiresAt, n.importance);
