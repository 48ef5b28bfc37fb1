// Reads how far streams have got, and their first kept event.
UNWIND $streams AS name
OPTIONAL MATCH (s:Stream {name: name})
RETURN name, coalesce(s.seq, 0) AS seq, coalesce(s.firstSeq, 1) AS firstSeq
