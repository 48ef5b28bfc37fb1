// Lets archived notes stay so: a sweep of decay does not bring them back when they are used.
UNWIND $ids AS id
MATCH (n:Note {id: id, status: 'ARCHIVED'})
SET n.archivedBy = null
RETURN count(*) AS kept
