// Who knows what? People and agents by the topics of the notes that they wrote.
MATCH (w:Agent|User)-[:WROTE]->(n:Note)-[:ABOUT]->(t:Topic)
WHERE n.status IN ['ACTIVE', 'FADING']
WITH t.key AS topic, w, count(DISTINCT n) AS notes, max(n.createdAt) AS newest
ORDER BY topic, notes DESC, newest DESC
WITH topic, collect({who: w.name, notes: notes, newest: newest})[..3] AS experts, sum(notes) AS all
RETURN topic, all AS notes, [e IN experts | e.who + ' (' + e.notes + ')'] AS experts
ORDER BY notes DESC, topic LIMIT 50;
