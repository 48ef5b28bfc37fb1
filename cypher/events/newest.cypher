// Reads how far streams have got; no viewer is told, since the last event may be one it may not read.
UNWIND $streams AS name
OPTIONAL MATCH (s:Stream {name: name})
RETURN name, coalesce(s.seq, 0) AS seq
