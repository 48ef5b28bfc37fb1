// tallied(place, counts, more): each batch in a transaction of its own; the only row of a job tells what they did.
IN TRANSACTIONS OF 1 ROW ON ERROR RETRY FOR 3 SECONDS THEN CONTINUE REPORT STATUS AS status
RETURN place, counts, more, collect(names) AS changed, collect(notes) AS notes, collect(told) AS told,
  collect(CASE WHEN status.errorMessage IS NOT NULL THEN [row IN batch | row.id] END) AS failed,
  collect(CASE WHEN notes = [] THEN [row IN batch | row.id] END) AS passed
