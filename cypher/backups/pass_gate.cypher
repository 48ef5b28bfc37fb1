// Is the first query of each transaction that writes: reading by this index shares the lock of its label until the end of the transaction, so that a backup can wait for all writes, and all writes for a backup, while reads go on.
OPTIONAL MATCH (l:JobLease {name: 'gate'})
USING INDEX SEEK l:JobLease(name)
RETURN count(l) AS found
