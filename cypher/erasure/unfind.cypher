// Takes the name of a user, and of that user's agent, out of a page of texts in JSON that tell with whom a note was found: of notes, their wordings and revisions, there as JSON within JSON. An agent's id has no backslash; what else stands there is left, so that the text stays JSON.
MATCH (n:Note|Wording|Revision)
WHERE any(found IN $found WHERE n.metadata CONTAINS found.mark OR n.changes CONTAINS found.mark)
WITH n LIMIT $limit
WITH n, [json IN [n.metadata, n.changes] | reduce(text = json, found IN $found | reduce(told = '', part IN split(text, found.mark) |
  CASE
    WHEN told = '' THEN part
    WHEN part STARTS WITH found.agent AND NOT split(substring(part, size(found.agent)), found.quote)[0] CONTAINS '\\'
      THEN told + found.instead + substring(part, size(found.agent) + size(split(substring(part, size(found.agent)), found.quote)[0]) + size(found.quote))
    ELSE told + found.instead + part
  END))] AS told
SET n.metadata = told[0], n.changes = told[1]
RETURN count(n) AS nodes
