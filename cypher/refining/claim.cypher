// Takes a note that waits for an LLM, so that nobody else does until $until; one that was taken too often waits no longer. The note's own lock comes first.
MATCH (n:Note {id: $id})
SET n.touched = $now
REMOVE n.touched
WITH n
WHERE n.refineAt <= $now
WITH n, coalesce(n.refineTries, 0) AS tries, n.refineTask AS task
SET n.refineAt = CASE WHEN tries < $most THEN $until END,
    n.refineTask = CASE WHEN tries < $most THEN task END,
    n.refineTries = CASE WHEN tries < $most THEN tries + 1 END
WITH task, tries
WHERE tries < $most
RETURN task
