// The consonants of names have an index of their own name.
DROP INDEX entity_bones IF EXISTS;
