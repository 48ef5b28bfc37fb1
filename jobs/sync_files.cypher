// Brings the folder of GRAPHMEM_SYNC_DIR and the memory of its user together, in both directions; without that setting it is not run.
// cron: */15 * * * *
// time zone: UTC
// The row is that user, if there is one; the files are read and written in Python.
MATCH (u:User {id: $user})
RETURN u.id AS user
