// Each name is an entity of its own; which of them are one is decided for each reader.
CREATE CONSTRAINT also_called_id IF NOT EXISTS FOR ()-[r:ALSO_CALLED]-() REQUIRE r.id IS UNIQUE;
CREATE INDEX entity_joined IF NOT EXISTS FOR (n:Entity) ON (n.user, n.joined);
CREATE INDEX entity_initials IF NOT EXISTS FOR (n:Entity) ON (n.user, n.initials);
CREATE INDEX entity_head IF NOT EXISTS FOR (n:Entity) ON (n.user, n.head);
CREATE INDEX entity_tail IF NOT EXISTS FOR (n:Entity) ON (n.user, n.tail);
CREATE INDEX entity_person IF NOT EXISTS FOR (n:Entity) ON (n.user, n.person);
CREATE INDEX entity_bones IF NOT EXISTS FOR (n:Entity) ON (n.user, n.bones);
