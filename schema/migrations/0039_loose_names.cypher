// Names that may be one by form (Mt. Ida, Mount Ida) are looked up under a key that they have in common. Older names get it when the service starts.
CREATE INDEX entity_loose IF NOT EXISTS FOR (n:Entity) ON (n.user, n.loose);
