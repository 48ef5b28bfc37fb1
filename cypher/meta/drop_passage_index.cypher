// Drops the vector index of passages, so that it can be made for another model.
DROP INDEX passage_embedding IF EXISTS
