// Lists the names that connected programs give themselves.
CALL dbms.listConnections() YIELD userAgent
RETURN collect(DISTINCT userAgent) AS rows
