// Which topics does each group of readers have notes about? The most frequent ones of each audience.
MATCH (n:Note)-[a:ABOUT]->(t:Topic)
WHERE a.audience = n.audience
WITH a.audience AS readers, t.key AS topic, count(*) AS notes
ORDER BY readers, notes DESC, topic
WITH readers, collect(topic + ' (' + notes + ')')[..10] AS topics, sum(notes) AS all
RETURN readers, topics, all
ORDER BY all DESC LIMIT 50;
