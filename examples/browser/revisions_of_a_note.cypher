// What was this note before? Each version with who made it, and what changed.
:param user => 'mara';
:param title => 'Brindlow & Fox terms';
MATCH (n:Note {user: $user})-[:HAD]->(r:Revision)
WHERE n.title = $title
RETURN r.version AS version, r.at AS at, r.actor AS who, r.content AS content, r.changes AS changes
ORDER BY version DESC;
