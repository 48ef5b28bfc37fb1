// Makes all writes wait until its transaction ends, which is rolled back: making an index locks its label for all who read one of it, as each write does first (`pass_gate`). No such index ever comes to be.
CREATE FULLTEXT INDEX pause_of_writes
FOR (n:JobLease)
ON EACH [n.id]
