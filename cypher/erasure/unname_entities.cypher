// Takes away the entities of a user that have one of some names, by key, and such names from what mentions other entities, which go by the others that they have.
CALL () {
  MATCH (e:Entity {user: $user})
  WHERE e.key IN $keys
  RETURN collect(e.id) AS ids, collect(e) AS gone
}
CALL (ids) {
  MATCH (e:Entity {user: $user})<-[m:MENTIONS]-(:Note)
  WHERE e.key IS NOT NULL AND NOT e.key IN $keys AND (any(key IN m.keys WHERE key IN $keys) OR m.of IN ids OR any(id IN m.within WHERE id IN ids))
  SET m.keys = [key IN m.keys WHERE NOT key IN $keys],
      m.names = [name IN m.names WHERE NOT name IN $names],
      m.of = CASE WHEN m.of IN ids THEN null ELSE m.of END,
      m.within = CASE WHEN any(id IN m.within WHERE id IN ids) THEN [id IN m.within WHERE NOT id IN ids] ELSE m.within END
  RETURN count(*) AS mentions
}
FOREACH (e IN gone | DETACH DELETE e)
RETURN size(ids) AS entities
