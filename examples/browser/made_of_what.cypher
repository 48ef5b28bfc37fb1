// What was a summary made of? Each note that was made of others, with these; `by` is the job that made it.
MATCH (made:Note)-[d:DERIVED_FROM]->(source:Note)
WITH made, collect(d.by)[0] AS by, collect(coalesce(source.title, left(source.content, 60))) AS sources
RETURN made.createdAt AS at, made.content AS note, by, sources
ORDER BY at DESC LIMIT 50;
