// External ids belong to who gave them: the same id by two authors is two notes. The notes of an id are found by the index.
DROP CONSTRAINT note_external_id IF EXISTS;
CREATE CONSTRAINT note_external_key IF NOT EXISTS FOR (n:Note) REQUIRE (n.user, n.externalKey) IS UNIQUE;
CREATE INDEX note_external IF NOT EXISTS FOR (n:Note) ON (n.user, n.externalId);
