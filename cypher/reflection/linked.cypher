// Finds which pairs of notes are linked in any way.
UNWIND $pairs AS pair
MATCH (a:Note {id: pair[0]})
MATCH (b:Note {id: pair[1]})
WHERE EXISTS { (a)-[:LINKS_TO]-(b) }
RETURN pair[0] AS one, pair[1] AS other
