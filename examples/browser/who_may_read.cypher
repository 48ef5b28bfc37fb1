// Who may read this note? The user in person always; agents by the visibility of the note and their profile.
:param user => 'mara';
:param title => 'Brindlow & Fox terms';
MATCH (n:Note {user: $user}) WHERE n.title = $title
MATCH (u:User {id: $user})-[:OWNS]->(a:Agent)
WITH n, a, coalesce(a.domains, u.agentDomains, ['*']) AS domains, coalesce(a.canSeePrivate, u.agentsSeePrivate, false) AS seesPrivate
WHERE CASE n.visibility
  WHEN 'OPEN' THEN true
  WHEN 'SCOPED' THEN any(d IN domains WHERE d = '*' OR n.domain = d OR n.domain STARTS WITH d + '/')
  WHEN 'PRIVATE' THEN seesPrivate OR n.author = a.id
  WHEN 'LOCAL' THEN n.author = a.id
  ELSE false END
RETURN n.title AS note, n.visibility AS visibility, n.domain AS domain, a.id AS agent, a.name AS name
ORDER BY agent;
