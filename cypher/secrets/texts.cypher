// Reads each text that a note of a user or a team has, for a search for secrets.
MATCH (n:Note {id: $id})
WHERE n.user = $user AND n.expiresAt > $now
RETURN n.audience AS audience, n.version AS version, [n.content, n.title, n.speaker, n.trigger] + n.tags + n.keywords + coalesce(n.lentTags, []) AS texts, n.metadata AS metadata, n.trigger AS trigger, coalesce(n.lentTags, []) AS lentTags, coalesce(n.givenTags, []) AS givenTags
