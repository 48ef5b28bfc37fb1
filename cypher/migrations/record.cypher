// Records that a migration was applied.
CREATE (m:Migration:System {number: $number, name: $name, checksum: $checksum, at: $now})
