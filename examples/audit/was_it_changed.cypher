// The history of a note as a graph: the note, its revisions, what it took the place of and what it came from.
// :param {note: 'the id of a note'}
MATCH (n:Note {id: $note})
OPTIONAL MATCH past = (n)-[:HAD]->(:Revision)
OPTIONAL MATCH other = (n)-[:SUPERSEDES|DERIVED_FROM]-(:Note)
RETURN n, collect(DISTINCT past)[..100] AS revisions, collect(DISTINCT other)[..100] AS others
