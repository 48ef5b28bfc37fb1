// Drops the vector index of passages, to make it anew for another model.
DROP INDEX passage_embedding IF EXISTS
