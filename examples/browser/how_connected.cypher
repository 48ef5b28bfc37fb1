// How are two notes connected? The shortest ways over entities, links and relations.
:param user => 'mara';
:param one => 'Brindlow & Fox terms';
:param other => 'Thermocouple debounce';
MATCH (a:Note {user: $user}) WHERE a.title = $one
MATCH (b:Note {user: $user}) WHERE b.title = $other
MATCH p = ALL SHORTEST (a)-[:MENTIONS|LINKS_TO|RELATES_TO|SUPERSEDES|DERIVED_FROM]-{1,6}(b)
RETURN p LIMIT 10;
