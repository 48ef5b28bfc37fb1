// Tells what the programs that are connected call themselves.
CALL dbms.listConnections() YIELD userAgent
RETURN collect(DISTINCT userAgent) AS rows
