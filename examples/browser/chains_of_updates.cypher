// What took the place of what? Each chain from what holds now back to what was said first.
MATCH p = (now:Note)-[:SUPERSEDES]->+(first:Note)
WHERE NOT EXISTS { (:Note)-[:SUPERSEDES]->(now) } AND NOT EXISTS { (first)-[:SUPERSEDES]->(:Note) }
RETURN now.content AS holds, [n IN nodes(p)[1..] | n.content] AS before, [r IN relationships(p) | r.reason] AS why, length(p) AS steps
ORDER BY steps DESC, now.createdAt DESC LIMIT 50;
