// Gives notes the passages of their texts in place of those that they had.
UNWIND $rows AS row
MATCH (n:Note {id: row.id})
@parted(n, row)
RETURN count(n) AS notes
