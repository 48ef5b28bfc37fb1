// Names are entities now: what stood for a name is gone.
DROP CONSTRAINT entity_name_key IF EXISTS;
DROP INDEX entity_name_joined IF EXISTS;
DROP INDEX entity_name_initials IF EXISTS;
DROP INDEX entity_name_head IF EXISTS;
DROP INDEX entity_name_tail IF EXISTS;
DROP INDEX entity_name_person IF EXISTS;
DROP INDEX entity_name_bones IF EXISTS;
