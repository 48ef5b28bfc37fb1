// Tells the version and the edition of Neo4j.
CALL dbms.components() YIELD name, versions, edition
WITH versions[0] + ', ' + edition AS version WHERE name = 'Neo4j Kernel'
RETURN version
