// cut(due, place, counts): cuts what is due into batches of the same readers, at most $batch in each, of which $most are gone through. Which ones share a batch depends on what their readers may read alone.
CALL (due) { // no ORDER BY: each of its rows would count all that is due as memory of its own
  UNWIND coll.sort([row IN due | [row.audience, row.id, row]]) AS one
  WITH one[0] AS audience, collect(one[2]) AS rows
  WITH coll.sort(collect([audience, rows])) AS groups
  RETURN coll.flatten([each IN groups | [start IN range(0, size(each[1]) - 1, $batch) | each[1][start..start + $batch]]]) AS batches
}
UNWIND CASE batches WHEN [] THEN [[]] ELSE batches[..$most] END AS batch
WITH place, counts, size(batches) > $most AS more, batch // no row holds all batches: each would be counted as memory of its own
