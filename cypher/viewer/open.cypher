// Reads who asks (user, agent), the user's visibility rules and teams, the version of these, for how many audiences the viewer has written, whether tasks were handed to it, answers to it were judged and the user is being erased, and which ones the user's notes and the teams have: no team has more than its share, where they are too many.
OPTIONAL MATCH (u:User {id: $user})
OPTIONAL MATCH (a:Agent {user: $user, id: $agent})
WITH u, a, COLLECT {
  MATCH (u)-[m:MEMBER_OF]->(t:Team)
  RETURN t.id ORDER BY m.at, t.id LIMIT 100
} AS teams
RETURN u {.id, .name, .defaultVisibility, .agentDomains, .agentsSeePrivate} AS user, coalesce(u.accessVersion, 0) AS accessVersion, teams,
       @profile(a, u) AS agent,
       EXISTS { (:Handoff)-[:TO]->(a) } AS lent, CASE WHEN $agent IS NULL THEN u.judges ELSE a.judges END AS judges, EXISTS { (:Erasure {id: $user}) } AS erasing,
       CASE WHEN $agent IS NULL THEN COUNT { (u)-[:WRITES_FOR]->() } ELSE COUNT { (a)-[:WRITES_FOR]->() } END AS writesFor,
       COLLECT {
         MATCH (r:VisibilityRule {user: $user})
         USING INDEX SEEK r:VisibilityRule(user, domain)
         WHERE r.domain IS NOT NULL
         RETURN [r.domain, r.visibility]
         LIMIT 1000
       } AS rules,
       COLLECT {
         MATCH (x:Audience {owner: $user})
         RETURN [x.visibility, x.domain, x.author]
         LIMIT 20000
       } AS audiences,
       COLLECT {
         WITH teams, COLLECT {
           UNWIND teams AS team
           RETURN COLLECT {
             MATCH (x:Audience {owner: 't:' + team})
             RETURN [team, x.section, x.domain]
             LIMIT 5000
           }
         } AS each
         UNWIND each AS own
         UNWIND own[..CASE WHEN reduce(all = 0, one IN each | all + size(one)) <= 20000 THEN 5000 ELSE 20000 / size(teams) END] AS readers
         RETURN readers
       } AS ofTeams
