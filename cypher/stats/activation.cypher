// Counts readable notes by range of activation: the arithmetic of domain/activation.py in Cypher.
UNWIND $audiences AS audience
MATCH (n:Note {audience: audience})
USING INDEX SEEK n:Note(audience, createdAt)
WHERE n.createdAt IS NOT NULL AND n.expiresAt > $now
WITH n, [t IN [n.createdAt] + n.accessTimes | CASE WHEN $now.epochMillis - t.epochMillis < 1000 THEN 1.0 / 3600 ELSE ($now.epochMillis - t.epochMillis) / 3600000.0 END] AS hours
WITH n.accessCount - size(n.accessTimes) AS older, hours, hours[0] AS age,
     reduce(oldest = 0.0, h IN hours[1..] | CASE WHEN h > oldest THEN h ELSE oldest END) AS oldest
WITH log(reduce(sum = 0.0, h IN hours | sum + h ^ -$d)
     + CASE WHEN older > 0 AND oldest > 0 AND age > oldest THEN older * (age ^ (1 - $d) - oldest ^ (1 - $d)) / ((1 - $d) * (age - oldest)) ELSE 0.0 END) AS activation
RETURN CASE WHEN activation >= 2 THEN 'high' WHEN activation >= 0 THEN 'medium' WHEN activation >= -2 THEN 'low' ELSE 'faint' END AS range,
       count(*) AS notes
