// Reads what the user decided of readable notes: whether by hand upon the readers, whether a rule did so where the note was before, and whether the user wrote, pinned or changed the note otherwise, or consented to what a team made of it; and whether the user put the note away.
MATCH (n:Note)
WHERE n.id IN $ids AND n.audience IN $audiences
RETURN n.id AS id, coalesce(n.visibilityByUser, false) AS marked, coalesce(n.ruledElsewhere, false) AS ruled,
       n.status = 'ARCHIVED' AND n.archivedBy IS NULL AS putAway,
       coalesce(n.byHand, false) OR EXISTS { (n)<-[:PROMOTED_FROM]-() } OR EXISTS {
         MATCH (n)-[:HAD]->(r:Revision)
         WHERE r.actor IN $hands AND NOT r.changes =~ '[{]("(visibility|domain)": [^{}:]*)*[}]' } AS byHand
