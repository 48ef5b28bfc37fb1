// Reads which readable notes are lines that were written for core memory, which ones consolidation has chosen for it and when, and which ones are skills, which never belong to it.
UNWIND $audiences AS audience
CALL (audience) {
  MATCH (n:Note {audience: audience})
  USING INDEX SEEK n:Note(audience, coreBlock)
  WHERE n.coreBlock IS NOT NULL
  RETURN n.id AS id, n.coreBlock AS block, null AS chosen
  LIMIT $lines
  UNION ALL
  MATCH (:Audience {key: audience})-[t:TELLS]->(n:Note {audience: audience})
  WHERE t.at <= $at
  RETURN n.id AS id, null AS block, true AS chosen
  LIMIT $lines
  UNION ALL
  MATCH (n:Skill {audience: audience})
  RETURN n.id AS id, null AS block, false AS chosen
  LIMIT $lines
}
RETURN collect({id: id, block: block, chosen: chosen}) AS rows
