// Keeps others from changing which model a slot holds until the transaction ends; a row comes only if it is this one.
MATCH (m:Meta {name: 'embedding'})
SET m.touched = true
REMOVE m.touched
WITH m
WHERE m.model = $model AND m.dimension = $dimension
RETURN m.model AS model
