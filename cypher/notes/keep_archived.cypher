// Lets archived notes stay so: a sweep of decay does not bring them back when they are used. What the user has put away in person ($by: null) stays put away by the user, whoever asks.
UNWIND $ids AS id
MATCH (n:Note {id: id, status: 'ARCHIVED'})
SET n.archivedBy = CASE WHEN n.archivedBy IS NOT NULL THEN $by END
RETURN count(*) AS kept
