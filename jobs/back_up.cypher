// Writes a backup of everything into the folder of GRAPHMEM_BACKUP_DIR, and removes its oldest ones there.
// cron: 30 3 * * *
// time zone: UTC
// The row says whether there is anything to keep: a store that nobody has used needs no backup.
OPTIONAL CALL () {
  MATCH (u:User)
  USING INDEX SEEK u:User(id)
  WHERE u.id > ''
  RETURN true AS there
  LIMIT 1
}
RETURN coalesce(there, false) AS used
