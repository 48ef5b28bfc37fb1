// Finds which pairs of notes are linked in any way.
UNWIND $pairs AS pair
MATCH (a:Note {id: pair[0]})
USING INDEX SEEK a:Note(id)
MATCH (b:Note {id: pair[1]})
USING INDEX SEEK b:Note(id)
WHERE EXISTS { (a)-[:LINKS_TO]-(b) }
RETURN pair[0] AS one, pair[1] AS other
