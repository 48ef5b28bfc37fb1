// Counts accesses of notes: the newest 20 times are kept, the half-life grows within its bounds. Each note's own lock comes first.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
SET n.touched = row.factor
REMOVE n.touched
WITH n, row
SET n.accessCount = n.accessCount + size(row.times),
    n.accessTimes = (n.accessTimes + [at IN row.times | datetime(at)])[-20..],
    n.halfLifeHours = CASE
      WHEN n.halfLifeHours IS NULL THEN null
      WHEN n.halfLifeHours * row.factor > 87600.0 THEN 87600.0
      WHEN n.halfLifeHours * row.factor < 1.0 THEN 1.0
      ELSE n.halfLifeHours * row.factor END
RETURN count(*) AS reinforced
