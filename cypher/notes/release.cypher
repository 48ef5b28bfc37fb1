// Takes the external id and the idempotency key from expired notes, so that a new note can have them.
MATCH (n:Note)
WHERE n.id IN $ids
SET n.externalId = null, n.externalKey = null, n.idempotencyKey = null
