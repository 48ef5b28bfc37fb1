// Finds, for texts by their keys, the notes of a user that say or said the same and that an agent reads, or that are lent to it, but for those of local memory, with the audience and whether the user decided upon it.
UNWIND $textKeys AS key
CALL (key) {
  MATCH (r:Revision {textKey: $user + '/' + key})<-[:HAD]-(n:Note)
  WHERE n.user = $user AND n.expiresAt > $now AND n.visibility <> 'LOCAL'
    AND (n.audience IN $audiences AND coalesce(r.audience, n.audience) IN $audiences
      OR n.visibility IN $lent AND EXISTS {
        MATCH (n)<-[:LENDS]-(h:Handoff)-[:TO]->(:Agent {user: $user, id: $agent})
        WHERE h.endedAt IS NULL AND h.expiresAt > $now })
  RETURN DISTINCT n.audience AS audience, n.visibility AS visibility, n.domain AS domain, n.author AS author, coalesce(n.visibilityByUser, false) AS marked, r.audience IS NULL AS shown
  LIMIT 50
}
RETURN key, visibility, domain, author, marked, shown
