// Returns a row unless a process changes the schema, whose statements do not pass the gate.
OPTIONAL MATCH (l:JobLease {name: 'migrate'})
USING INDEX SEEK l:JobLease(name)
WITH coalesce(l.until > datetime(), false) AS migrating
WHERE NOT migrating
RETURN true AS none
