// Goes on with the erasure of users that a process did not end. Whom it finds has asked for it, or the operator has.
// cron: */5 * * * *
// time zone: UTC
// The rows are those users, by id after one; what names them is destroyed in Python, page by page.
MATCH (e:Erasure)
WHERE e.id > $after
RETURN e.id AS user
ORDER BY user
LIMIT $limit
