// Takes back the accesses that an approved reflection counted.
MATCH (f:Reflection {id: $id})-[k:KEPT]->(n:Note)
USING INDEX SEEK f:Reflection(id)
WITH n, k, [i IN range(0, size(n.accessTimes) - 1) WHERE n.accessTimes[i] = k.at][-1] AS taken
SET n.accessCount = n.accessCount - 1,
    n.accessTimes = (CASE WHEN k.dropped IS NULL THEN [] ELSE [k.dropped] END
      + [i IN range(0, size(n.accessTimes) - 1) WHERE taken IS NULL OR i <> taken | n.accessTimes[i]])[-20..]
DELETE k
RETURN count(*) AS taken
