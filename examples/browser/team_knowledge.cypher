// What do teams know, and where did it come from? With who proposed and decided it, and who holds it to be right.
MATCH (k:Knowledge)
OPTIONAL MATCH (k)-[:PROMOTED_FROM]->(n:Note)
OPTIONAL MATCH (p:Proposal)-[:BECAME]->(k)
RETURN k.user AS team, k.content AS knowledge, k.sourceUser AS from, n.title AS note, p.author AS proposedBy, p.decidedBy AS decidedBy,
  k.verifiedBy AS heldRightBy, k.status AS status
ORDER BY team, k.createdAt DESC LIMIT 100;
