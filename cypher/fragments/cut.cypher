// cut(due, place, counts): cuts what is due into batches of the same readers, at most $batch in each, of which $most are gone through. Which ones share a batch depends on what their readers may read alone.
CALL (due) {
  UNWIND due AS row
  WITH row ORDER BY row.id
  WITH row.audience AS audience, collect(row) AS rows
  ORDER BY audience
  UNWIND range(0, size(rows) - 1, $batch) AS start
  RETURN collect(rows[start..start + $batch]) AS batches
}
UNWIND CASE batches WHEN [] THEN [[]] ELSE batches[..$most] END AS batch
WITH place, counts, size(batches) > $most AS more, batch // no row holds all batches: each would be counted as memory of its own
