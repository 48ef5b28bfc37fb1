// Core memory: the lines that were written for it, and the newest notes that belong to it, of an audience.
CREATE INDEX note_core_block IF NOT EXISTS FOR (n:Note) ON (n.audience, n.coreBlock);
CREATE INDEX note_core_mark IF NOT EXISTS FOR (n:Note) ON (n.audience, n.coreMark, n.createdAt);
