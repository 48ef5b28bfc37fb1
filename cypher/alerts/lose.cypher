// Keeps, without a word of it, that files of a user were destroyed: which, by whom, and whether the user has to be asked about it. Of one file that the user is not asked about any more, only the last is kept.
UNWIND $rows AS row
MERGE (l:LostFile {user: $user, id: row.id})
  ON CREATE SET l:System
SET l.file = row.file, l.version = row.version, l.audience = row.audience, l.domain = row.domain, l.at = $now, l.actor = $actor,
    l.confirmed = $expected, l.toldTo = []
WITH l
CALL (l) {
  MATCH (old:LostFile {user: $user})
  USING INDEX SEEK old:LostFile(user, id)
  WHERE old.id IS NOT NULL AND old.id <> l.id AND old.file = l.file AND old.confirmed
  DELETE old
}
RETURN count(l) AS lost
