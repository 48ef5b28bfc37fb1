// Reads the form of the notes' word indexes, and how far rebuilding them has come.
OPTIONAL MATCH (m:Meta {name: 'words'})
RETURN m.form AS form, coalesce(m.reached, '') AS reached
LIMIT 1
