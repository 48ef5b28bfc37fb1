// Writes nodes as a backup has them, and tells their ids. Labels come of a file that has been checked, and as parameters.
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
WITH n, row
CALL (n, row) {
  UNWIND row.vectors AS each
  CALL db.create.setNodeVectorProperty(n, each.key, each.vector)
  RETURN count(*) AS vectors
}
RETURN collect([row.number, elementId(n)]) AS ids
