// refused(e, part, audience): whether the readers of an audience may know that somebody said of two entities that they are not one, or undid a merge of them.
EXISTS {
  MATCH (e)-[past:HAD_ABSORBED]-(part)
  WHERE (past.audiences IS NULL OR audience IN past.audiences) AND all(x IN [e, part] WHERE EXISTS {
    MATCH (known:Note)-[m:MENTIONS {given: true}]->(x)
    WHERE known.audience = audience AND m.at <= past.at AND known.expiresAt > $now AND known.status IN ['ACTIVE', 'FADING', 'DORMANT']
  })
}
