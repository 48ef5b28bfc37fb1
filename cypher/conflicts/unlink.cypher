// Takes away what links two notes as contradicting each other.
MATCH (:Note {id: $one})-[r:LINKS_TO]-(:Note {id: $other})
WHERE r.kind IN $kinds
DELETE r
RETURN count(*) AS removed
