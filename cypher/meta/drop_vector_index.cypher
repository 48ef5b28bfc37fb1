// Drops the vector index, to make it anew for another model.
DROP INDEX note_embedding IF EXISTS
