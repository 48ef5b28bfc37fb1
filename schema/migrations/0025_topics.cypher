// Topics by key, and the notes about each by their readers, newest first.
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (n:Topic) REQUIRE n.key IS UNIQUE;
CREATE INDEX about_topic IF NOT EXISTS FOR ()-[r:ABOUT]-() ON (r.topic, r.audience, r.at);
