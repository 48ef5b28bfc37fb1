// What rules hold to be one, until a job carries it out.
CREATE INDEX same_as IF NOT EXISTS FOR ()-[s:SAME_AS]-() ON (s.id);
CREATE INDEX same_as_audience IF NOT EXISTS FOR ()-[s:SAME_AS]-() ON (s.audience);
CREATE INDEX copy_of_audience IF NOT EXISTS FOR ()-[c:COPY_OF]-() ON (c.audience);
