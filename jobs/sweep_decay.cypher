// Gives each note the status that fits how strong it is: active, fading, dormant or archived.
// cron: 0 * * * *
// time zone: UTC
// The strength is worked out from the times of use, as domain/activation does, and never from an earlier strength: so sweeps do not add up. What a team knows, and its skills, go by a half-life of their own: by when, and by how many people, it was held to be right or used, and never by recalls.
// It goes through the notes of a page audience by audience; what was archived comes back when it is used.
CALL () { // either the rest of one audience, or those beyond it: what is not wanted is asked for with an audience that there is not
  MATCH (n:Note)
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.audience = $audience AND n.createdAt >= datetime($createdAt) AND CASE n.createdAt WHEN datetime($createdAt) THEN n.id > $id ELSE true END
  WITH n ORDER BY n.audience, n.createdAt, n.id LIMIT $limit
  RETURN n, n.audience AS audience, n.createdAt AS created, n.id AS id
  UNION ALL
  MATCH (n:Note)
  USING INDEX SEEK n:Note(audience, createdAt)
  WHERE n.audience > $beyond AND n.createdAt IS NOT NULL
  WITH n ORDER BY n.audience, n.createdAt, n.id LIMIT $limit
  RETURN n, n.audience AS audience, n.createdAt AS created, n.id AS id
}
WITH n, audience, created, id ORDER BY audience, created, id
WITH collect(n) AS page
CALL (page) {
  UNWIND page AS n
  WITH n
  WHERE n.expiresAt > $now AND (n.status IN ['ACTIVE', 'FADING', 'DORMANT'] OR (n.status = 'ARCHIVED' AND n.archivedBy = $actor))
    AND CASE WHEN $owners IS NULL THEN true ELSE n.user IN $owners END
  WITH n, n.createdAt.epochMillis AS created, [t IN n.accessTimes | t.epochMillis] AS uses
  WITH n, $now.epochMillis - created AS lived, [t IN uses | $now.epochMillis - t] AS ago, coalesce(coll.max(uses), created) AS last
  WITH n, last, lived / 3600000.0 AS hours,
    [t IN [lived] + ago | CASE WHEN t < 1000 THEN 1 / 3600.0 ELSE t / 3600000.0 END] AS since, n.accessCount - size(ago) AS older
  WITH n, last, hours, older, since[0] AS age, coll.max(since[1..]) AS oldest, reduce(sum = 0.0, t IN since | sum + t ^ (-$d)) AS kept
  WITH n, hours, CASE WHEN $now.epochMillis > last THEN ($now.epochMillis - last) / 3600000.0 ELSE 0.0 END AS unused,
    CASE WHEN $now.epochMillis > last THEN $now.epochMillis / 86400000 - last / 86400000 ELSE 0 END AS days,
    log(CASE WHEN older > 0 AND age > oldest THEN kept + older * (age ^ (1 - $d) - oldest ^ (1 - $d)) / ((1 - $d) * (age - oldest)) ELSE kept END) AS activation
  WITH n, hours, unused, activation,
    CASE WHEN n.halfLifeHours IS NULL THEN 1.0 ELSE exp(-log(2) * unused / n.halfLifeHours) END AS retention,
    CASE WHEN n.pinned THEN 1.0
      ELSE $base[n.source] * exp(-$rate * days) * log(n.accessCount + 2) / log(2) * CASE WHEN n.tier = 'FOUNDATIONAL' THEN $core ELSE $weights[n.kind] END END AS relevance,
    n.pinned OR n.loadBearing OR n.tier = 'FOUNDATIONAL' OR n.coreBlock IS NOT NULL AS stays,
    CASE WHEN n:Knowledge OR (n:Skill AND n.section IS NOT NULL) THEN
      $commonsHalfLife * coll.min([$commonsPeople, coll.max([1, size(coalesce(CASE WHEN n:Knowledge THEN n.verifiedBy ELSE n.usedBy END, []))])]) END AS life,
    ($now.epochMillis - coll.max([t IN [n.createdAt, n.wordedAt, n.lastUsedAt] WHERE t IS NOT NULL | t.epochMillis])) / 3600000.0 AS still
  WITH n, activation, relevance, life, still,
    CASE WHEN life IS NULL THEN retention WHEN still > 0 THEN exp(-log(2) * still / life) ELSE 1.0 END AS retention,
    CASE WHEN life IS NULL THEN NOT stays AND unused > $halfLives * n.halfLifeHours ELSE still > $halfLives * life END AS prune,
    NOT stays AND activation < $pruneBelow AND hours > $pruneHours AS consolidate,
    CASE
      WHEN life IS NOT NULL THEN CASE WHEN n.loadBearing OR still <= life THEN 'ACTIVE' WHEN still <= $halfLives * life THEN 'FADING' ELSE 'ARCHIVED' END
      WHEN stays THEN 'ACTIVE'
      WHEN relevance < $archivedBelow OR (activation < $hardBelow AND hours > $hardHours) THEN 'ARCHIVED'
      WHEN relevance < $dormantBelow THEN 'DORMANT'
      WHEN relevance < $fadingBelow THEN 'FADING'
      ELSE 'ACTIVE'
    END AS fitting
  WITH count(*) AS notes, count(CASE WHEN prune THEN 1 END) AS pruneCandidates, count(CASE WHEN consolidate THEN 1 END) AS consolidationCandidates,
    collect(CASE WHEN n.status <> fitting AND NOT n.id IN $leftOut THEN {
      id: n.id, version: n.version, audience: n.audience, owner: n.user, name: fitting,
      given: CASE fitting WHEN 'ARCHIVED' THEN {status: fitting, archivedBy: $actor, curatedKey: null} ELSE {status: fitting, archivedBy: null} END,
      changes: '{"status": ["' + n.status + '", "' + fitting + '"]}',
      type: 'DECAY', summary: toLower(n.status) + '→' + toLower(fitting),
      data: '{"from": "' + n.status + '", "to": "' + fitting + '", "retention": ' + toString(round(retention, 6))
        + CASE WHEN life IS NOT NULL THEN '' ELSE ', "activation": ' + toString(round(activation, 6)) + ', "relevance": ' + toString(round(relevance, 6)) END + '}'
    } END) AS due
  RETURN due, {notes: notes, pruneCandidates: pruneCandidates, consolidationCandidates: consolidationCandidates} AS counts
}
WITH due, counts, CASE WHEN size(page) > 0 THEN [page[-1].audience, toString(page[-1].createdAt), page[-1].id] END AS place
@changed(due, counts, place)
