// Who knows about which topics, by the readers of the notes that show it.
CREATE INDEX knows_about IF NOT EXISTS FOR ()-[k:KNOWS_ABOUT]-() ON (k.audience, k.topic);
