// Records that the notes of a restored store have no vectors, whichever slots they had them in: those of this model are to be made in the first one.
MATCH (m:Meta)
WHERE m.name IN ['embedding', 'embedding2', 'vectors']
DELETE m
WITH count(*) AS forgotten
CREATE (m:Meta:System {name: $first, model: $model, dimension: $dimension, filled: false, at: $now})
RETURN m.model AS model
