// Marks the store as half restored, so that no service starts on it.
MERGE (m:Meta {name: 'restore'})
SET m:System, m.at = $now
RETURN m.name AS name
