// Takes the lease on migrating, unless another process has it. Database time, since it is a lease.
MERGE (l:JobLease {name: 'migrate'})
  ON CREATE SET l:System
SET l.touched = datetime()
WITH l
WHERE l.owner = $owner OR coalesce(l.until, datetime({epochMillis: 0})) < datetime()
SET l.owner = $owner, l.until = datetime() + duration({seconds: $seconds})
RETURN l.owner AS owner
