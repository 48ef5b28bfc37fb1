// Drops the vector index, so that it can be made for another model.
DROP INDEX note_embedding IF EXISTS
