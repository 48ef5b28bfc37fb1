// Notes that wait for an LLM, by user: the users take turns, whoever of them has how many.
DROP INDEX note_refine_at IF EXISTS;
CREATE INDEX note_waits IF NOT EXISTS FOR (n:Note) ON (n.user, n.refineAt);
