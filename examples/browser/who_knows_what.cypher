// Who knows what? People, agents and teams by topic, the surest first, with the notes behind it; each group of readers by itself.
MATCH (w:Agent|User|Team)-[k:KNOWS_ABOUT]->(t:Topic)
WITH t.key AS topic, w, sum(k.notes) AS notes, max(k.confidence) AS confidence, max(k.lastAt) AS newest
ORDER BY topic, confidence DESC, notes DESC, newest DESC
WITH topic, collect({who: w.name, notes: notes, confidence: confidence})[..3] AS experts, sum(notes) AS all
RETURN topic, all AS notes, [e IN experts | e.who + ' (' + e.notes + ' notes, ' + toString(round(e.confidence, 2)) + ')'] AS experts
ORDER BY notes DESC, topic LIMIT 50;
