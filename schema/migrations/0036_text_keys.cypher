// Texts that notes say or said: by these an agent's copy of a note that few may read is known.
CREATE INDEX revision_text_key IF NOT EXISTS FOR (n:Revision) ON (n.textKey);
