// Reads of notes that only the graph reached what the last stage of a recall asks for.
UNWIND $ids AS id
MATCH (n:Note {id: id})
WHERE n.audience IN $audiences AND n.status IN $statuses AND n.expiresAt > datetime($now)
RETURN collect({
  id: n.id, title: n.title, speaker: n.speaker, occurredAt: null, start: '', words: n.words,
  similarity: 2 * vector.similarity.cosine(n.embedding, $vector) - 1, episode: n.episode, traits: n.traits
}) AS rows
