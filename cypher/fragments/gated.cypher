// gated(batch): as `backups/pass_gate`: while a backup reads the graph, this waits.
OPTIONAL MATCH (gate:JobLease {name: 'gate'})
USING INDEX SEEK gate:JobLease(name)
WITH batch, count(gate) AS passed
