// Destroys the proposals whose time is over. No read finds them from that time on, before this has run, too.
// cron: 10 * * * *
// time zone: UTC
// It goes through a page of proposals, after one by id and up to another. The note that one became, and the events about it, stay.
CALL () {
  MATCH (p:Proposal)
  USING INDEX SEEK p:Proposal(id)
  WHERE p.id > $after AND p.id <= $last AND CASE WHEN $owners IS NULL THEN true ELSE p.user IN $owners END
  WITH p ORDER BY p.id LIMIT $limit
  RETURN max(p.id) AS place, collect(CASE WHEN p.expiresAt <= $now AND NOT p.id IN $leftOut THEN {id: p.id, audience: p.audience} END) AS due
}
WITH due, {} AS counts, place
@cut(due, place, counts)
CALL (batch) {
  @gated(batch)
  UNWIND batch AS row
  MATCH (p:Proposal {id: row.id})
  USING INDEX SEEK p:Proposal(id)
  SET p.touched = $now
  REMOVE p.touched // each one is locked, in the order of their ids
  WITH p, row
  WHERE p.expiresAt <= $now
  DETACH DELETE p
  WITH collect(row.id) AS notes
  RETURN [each IN notes | 'expired'] AS names, notes, [] AS told
} @tallied(place, counts, more)
