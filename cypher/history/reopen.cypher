// Lets what notes say be true again, as far as it ended when another note took their place; their own locks are held already.
UNWIND $rows AS row
MATCH ()-[r:RELATES_TO {noteId: row.id}]->()
WHERE r.validTo.epochMillis = row.ended
SET r.validTo = null
RETURN count(r) AS reopened
