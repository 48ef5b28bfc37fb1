// unknown(n): takes the share of a note out of what is drawn of its writer's knowledge, and out of what rules hold of it and of the entities that it mentions, before it gets other readers or is destroyed. The edges are drawn anew by the next runs of update_expertise and resolve_duplicates.
CALL (n) {
  MATCH (n)-[about:ABOUT]->(:Topic)
  MATCH ()-[k:KNOWS_ABOUT {audience: n.audience, topic: about.topic}]->()
  DELETE k
}
CALL (n) {
  MATCH (a:Audience {key: n.audience})
  SET a.knownAt = null, a.departures = coalesce(a.departures, 0) + 1
}
@unheld(n)
