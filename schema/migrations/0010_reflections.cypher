// Reflections: by id, by number of their maker, and those of a user.
CREATE CONSTRAINT reflection_id IF NOT EXISTS FOR (n:Reflection) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT reflection_number IF NOT EXISTS FOR (n:Reflection) REQUIRE (n.user, n.maker, n.number) IS UNIQUE;
CREATE CONSTRAINT reflection_item_id IF NOT EXISTS FOR (n:ReflectionItem) REQUIRE n.id IS UNIQUE;
CREATE INDEX reflection_user IF NOT EXISTS FOR (n:Reflection) ON (n.user);
