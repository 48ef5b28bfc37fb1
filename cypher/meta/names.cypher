// Reads the form of the keys under which names are looked up loosely, and how far the making of new ones has come.
OPTIONAL MATCH (m:Meta {name: 'names'})
RETURN m.form AS form, coalesce(m.reached, '') AS reached
LIMIT 1
