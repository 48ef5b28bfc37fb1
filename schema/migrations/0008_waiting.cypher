// Notes that wait for an LLM: few at a time, taken in the order in which they began to wait.
CREATE INDEX note_refine_at IF NOT EXISTS FOR (n:Note) ON (n.refineAt);
