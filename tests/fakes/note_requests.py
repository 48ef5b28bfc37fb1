"""Requests about notes that several files of tests send."""

from typing import Any

MANY = """mutation M($i: RememberManyInput!) { rememberMany(input: $i) { results { index operation
  note { id content } error { code message path } } } }"""
NOTE = """query N($id: ID, $x: String) { note(id: $id, externalId: $x) { id version content title
  context keywords tags kind type source validity importance confidence loadBearing pinned
  domain visibility tier status activation retention relevance halfLifeHours accessCount
  lastAccessedAt createdAt
  updatedAt occurredAt validFrom validTo expiresAt episode speaker metadata externalId
  author { id } user { id } revisions { version at actor content changes } } }"""
PAGE = """query P($f: NoteFilter, $n: Int, $after: String) { notes(filter: $f, first: $n,
  after: $after) { totalCount nodes { id content } edges { cursor node { id } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }"""
REVISE = """mutation R($id: ID!, $content: String, $title: String, $tags: [String!],
  $domain: String, $importance: Float, $v: Int) {
  revise(id: $id, content: $content, title: $title, tags: $tags,
  domain: $domain, importance: $importance, expectedVersion: $v) { id version content title tags
  domain keywords context validity } }"""
FORGET = """mutation F($id: ID, $q: String, $confirm: Boolean, $permanent: Boolean) {
  forget(id: $id, query: $q, confirm: $confirm, permanent: $permanent) {
  forgotten permanent needsConfirmation matches { id status } } }"""
LINK = """mutation L($a: ID!, $b: ID!, $kind: String!, $reason: String) {
  link(source: $a, target: $b, kind: $kind, reason: $reason) { id kind strength reason
  source { id } target { id } createdAt } }"""
EVENTS = """query E($after: Long, $types: [String!], $s: ID) { events(after: $after, types: $types,
  subjectId: $s, first: 500) { id seq at type channel actor subjectId domain summary data } }"""


async def note_of(api: Any, note: str) -> dict[str, Any]:
    return (await api(NOTE, id=note))["note"]


async def remember_all(api: Any, notes: list[dict[str, Any]], **given: Any) -> list[Any]:
    """The notes' ids."""
    data = await api(MANY, i={"notes": notes, **given})
    results = data["rememberMany"]["results"]
    assert not [result["error"] for result in results if result["error"]]
    return [result["note"]["id"] for result in results]
