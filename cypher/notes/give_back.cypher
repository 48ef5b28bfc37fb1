// Gives archived notes that the user forgot at an instant back to what had archived them before that.
UNWIND $ids AS id
MATCH (n:Note {id: id, status: 'ARCHIVED', forgottenAt: $at})
SET n.archivedBy = n.archivedByThen
REMOVE n.forgottenAt, n.archivedByThen
RETURN count(*) AS given
