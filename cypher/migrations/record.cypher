// Records that a migration was applied.
CREATE (m:Migration {number: $number, name: $name, checksum: $checksum, at: $now})
