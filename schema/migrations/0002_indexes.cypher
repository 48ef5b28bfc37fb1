// What reads and jobs scan. The vector index is made at start, since its size is the model's.
CREATE INDEX audience_owner IF NOT EXISTS FOR (n:Audience) ON (n.owner);
CREATE INDEX note_audience_newest IF NOT EXISTS FOR (n:Note) ON (n.audience, n.createdAt);
CREATE INDEX note_title_key IF NOT EXISTS FOR (n:Note) ON (n.user, n.titleKey);
CREATE INDEX note_expires IF NOT EXISTS FOR (n:Note) ON (n.expiresAt);
CREATE INDEX note_user_status IF NOT EXISTS FOR (n:Note) ON (n.user, n.status);
CREATE INDEX event_subject IF NOT EXISTS FOR (n:Event) ON (n.subjectId);
CREATE INDEX event_at IF NOT EXISTS FOR (n:Event) ON (n.at);
CREATE INDEX recall_at IF NOT EXISTS FOR (n:Recall) ON (n.at);
CREATE INDEX relation_note IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON (r.noteId);
CREATE FULLTEXT INDEX note_text IF NOT EXISTS FOR (n:Note)
ON EACH [n.content, n.title, n.keywords, n.speaker, n.audienceToken]
OPTIONS { indexConfig: { `fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false } };
