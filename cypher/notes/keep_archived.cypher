// Lets archived notes stay so: a sweep of decay does not bring them back when they are used. What the user has put away in person ($by: null) stays put away by the user, whoever asks; what something else had put away tells what, so that this can be taken back.
UNWIND $ids AS id
MATCH (n:Note {id: id, status: 'ARCHIVED'})
FOREACH (x IN CASE WHEN $by IS NULL AND n.archivedBy IS NOT NULL THEN [n] ELSE [] END | SET x.archivedByThen = n.archivedBy, x.forgottenAt = $now)
SET n.archivedBy = CASE WHEN n.archivedBy IS NOT NULL THEN $by END
RETURN count(*) AS kept
