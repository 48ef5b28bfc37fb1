// Deletes topics that no note is about any more.
MATCH (t:Topic)
WHERE t.key > '' AND NOT EXISTS { (t)<-[:ABOUT]-() }
WITH t LIMIT $limit
DETACH DELETE t
RETURN count(*) AS deleted
