// Gives the lease on migrating back.
MATCH (l:JobLease {name: 'migrate', owner: $owner})
SET l.until = datetime({epochMillis: 0})
