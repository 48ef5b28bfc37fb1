// Entity resolution: merges by id, and what names that may be of one thing have in common.
CREATE CONSTRAINT absorbed_id IF NOT EXISTS FOR ()-[r:ABSORBED]-() REQUIRE r.id IS UNIQUE;
CREATE INDEX had_absorbed_id IF NOT EXISTS FOR ()-[r:HAD_ABSORBED]-() ON (r.id);
CREATE INDEX entity_name_joined IF NOT EXISTS FOR (n:EntityName) ON (n.user, n.joined);
CREATE INDEX entity_name_initials IF NOT EXISTS FOR (n:EntityName) ON (n.user, n.initials);
CREATE INDEX entity_name_head IF NOT EXISTS FOR (n:EntityName) ON (n.user, n.head);
CREATE INDEX entity_name_tail IF NOT EXISTS FOR (n:EntityName) ON (n.user, n.tail);
CREATE INDEX entity_name_person IF NOT EXISTS FOR (n:EntityName) ON (n.user, n.person);
CREATE INDEX entity_name_bones IF NOT EXISTS FOR (n:EntityName) ON (n.user, n.bones);
