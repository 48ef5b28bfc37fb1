// Makes all writes of what has vectors wait until its transaction ends, which is rolled back: making an index locks its labels for everybody who writes one, or reads them by an index. No such index ever comes to be.
CREATE FULLTEXT INDEX pause_of_vectors
FOR (n:Note|Passage|Proposal|Recall)
ON EACH [n.id]
