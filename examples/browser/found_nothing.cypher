// Which questions found nothing? What people and agents asked for and the memory does not hold.
MATCH (r:Recall)
USING INDEX SEEK r:Recall(at)
WHERE r.at >= datetime() - duration('P30D') AND r.query IS NOT NULL AND NOT EXISTS { (r)-[:RETURNED|CONSULTED]->() }
RETURN r.at AS at, r.user AS user, r.agent AS agent, r.domain AS domain, r.query AS question
ORDER BY at DESC LIMIT 100;
