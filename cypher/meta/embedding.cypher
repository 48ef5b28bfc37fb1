// Reads which model each slot of vectors holds, which slot is in use, and which one waits to come into use. A slot whose model a version without slots did not finish to replace counts as one of a model that nobody has.
OPTIONAL MATCH (v:Meta {name: 'vectors'})
RETURN v.inUse AS inUse, v.waiting AS waiting, coalesce(v.behind, false) AS behind, COLLECT {
  MATCH (m:Meta)
  WHERE m.name IN ['embedding', 'embedding2'] AND m.model IS NOT NULL
  RETURN {slot: m.name, model: m.model + coalesce(' half replaced by ' + m.target, ''), dimension: m.dimension, filled: coalesce(m.filled, m.target IS NULL)}
} AS held
LIMIT 1
