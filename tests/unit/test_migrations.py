"""The files of schema/migrations are those that stores have applied."""

from graphmem.app import migrations

# Each store keeps the checksum of each file that it has applied, and no start accepts another one:
# so no line of this list ever changes, and no file. A new file is one more line, with what
# `sha256sum schema/migrations/NAME` prints.
CHECKSUMS = {
    "0001_schema.cypher": "e2188e7826ca98920ab8fe5d3d46cde010ccb04579faf1c5f52a4a0a44be6797",
}


def test_an_applied_file_never_changes() -> None:
    assert {each.name: each.checksum for each in migrations()} == CHECKSUMS
