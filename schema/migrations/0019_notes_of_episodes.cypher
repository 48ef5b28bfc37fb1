// The notes of an episode in their order: a note's neighbours, and those behind what a viewer may not read.
CREATE INDEX note_episode IF NOT EXISTS FOR (n:Note) ON (n.user, n.episode, n.happenedAt, n.id);
