// Lists the applied migrations with their checksums.
MATCH (m:Migration)
RETURN m.number AS number, m.name AS name, m.checksum AS checksum
ORDER BY number
LIMIT 10000
