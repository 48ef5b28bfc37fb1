// Names that differ by a slip of the pen have the same consonants.
CREATE INDEX entity_consonants IF NOT EXISTS FOR (n:Entity) ON (n.user, n.consonants);
