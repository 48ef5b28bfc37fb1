// Opens the conflicts again that a reflection closed.
UNWIND $ids AS id
MATCH (c:Conflict {id: id})
WHERE NOT c.open AND c.resolvedBy = $actor
SET c.open = true, c.resolution = null, c.resolvedBy = null, c.resolvedAt = null
RETURN count(*) AS opened
