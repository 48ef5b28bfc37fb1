// The newest recalls of a user, by their number.
CREATE INDEX recall_user_cycle IF NOT EXISTS FOR (n:Recall) ON (n.user, n.cycle);
