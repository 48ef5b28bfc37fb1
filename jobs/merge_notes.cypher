// Merges notes of the same readers of which the rules hold one to be a copy of the other, if nobody has refused that for a day.
// cron: 35 * * * *
// time zone: UTC
// The rows are a page of users with the pairs of copies that are due, with how alike their present texts are; two notes are merged in Python, since the text of both, and its vector, are made there.
MATCH (u:User)
WHERE u.id > $after
WITH u ORDER BY u.id
WHERE EXISTS {
  MATCH (:Note)-[c:COPY_OF]->(:Note)
  USING INDEX SEEK c:COPY_OF(audience)
  WHERE c.audience STARTS WITH 'u:' + u.id + '/' AND c.at <= $until
}
WITH u LIMIT $limit
CALL (u) {
  MATCH (copy:Note)-[c:COPY_OF]->(n:Note)
  USING INDEX SEEK c:COPY_OF(audience)
  WHERE c.audience STARTS WITH 'u:' + u.id + '/' AND c.at <= $until
  WITH copy, n, c ORDER BY c.at, copy.id, n.id LIMIT $most
  RETURN collect([copy.id, n.id, c.audience, coalesce(2 * vector.similarity.cosine(copy.embedding, n.embedding) - 1, c.cosine)]) AS pairs
}
RETURN u.id AS user, pairs
ORDER BY user
