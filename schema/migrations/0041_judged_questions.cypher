// Finds the judged questions of who asks, newest first.
CREATE INDEX recall_judged IF NOT EXISTS FOR (n:Recall) ON (n.asker, n.judgedAt);
