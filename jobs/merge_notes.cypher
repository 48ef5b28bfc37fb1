// Merges notes of the same readers of which the rules hold one to be a copy of the other, if nobody has refused that for a day.
// cron: 35 * * * *
// time zone: UTC
// The rows are a page of users with the pairs of copies that are due, with how alike their present texts are; two notes are merged in Python, since the text of both, and its vector, are made there.
MATCH (copy:Note)-[c:COPY_OF]->(n:Note)
USING INDEX SEEK c:COPY_OF(at)
WHERE c.at <= $until AND n.user > $after
WITH n.user AS user, [copy.id, n.id, c.audience, coalesce(2 * vector.similarity.cosine(copy.embedding, n.embedding) - 1, c.cosine)] AS pair, c.at AS at
ORDER BY user, at, pair[0], pair[1]
WITH user, collect(pair)[..$most] AS pairs
ORDER BY user LIMIT $limit
RETURN user, pairs
