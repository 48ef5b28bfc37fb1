"""The files of schema/migrations are those that stores have applied."""

from graphmem.app import migrations

# Each store keeps the checksum of each file that it has applied, and no start accepts another one:
# so no line of this list ever changes, and no file. A new file is one more line, with what
# `sha256sum schema/migrations/NAME` prints.
CHECKSUMS = {
    "0001_schema.cypher": "0b33b0efb4ddfcb5b8942ecc69d051ce7db390daef8cf0b5d351de91589502a6",
    "0002_expertise.cypher": "3768b45db3f53e4ec8133ed85da75d2e1fd0d5dd8e9c553672cd4ba7529408a9",
    "0003_verdicts.cypher": "3ae69cd9a84293f6a31e3d4d516d61f1b24c2d236f0c580d46aebc40856d73d1",
    "0004_system.cypher": "88db85226b703a6373dda3a135dcefb22f422cf2980b6f4f408105c9b9163a26",
}


def test_an_applied_file_never_changes() -> None:
    assert {each.name: each.checksum for each in migrations()} == CHECKSUMS
