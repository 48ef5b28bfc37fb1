// What recall's last stage wants to know of a text is kept with the note: see graphmem/domain/traits.py.
MATCH (n:Note)
WHERE n.traits IS NULL AND n.content IS NOT NULL
CALL (n) {
  SET n.traits =
    CASE WHEN n.content CONTAINS '?' THEN 1 ELSE 0 END
    + CASE WHEN n.content =~ '(?is).*\\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|since|morning|evening|night|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekends?|days?|weeks?|months?|years?|(?:19|20)[0-9][0-9])\\b.*' THEN 2 ELSE 0 END
    + CASE WHEN n.content =~ '(?s).*\\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me|us)\\b.*' THEN 4 ELSE 0 END
    + CASE WHEN n.content =~ '(?s).*(?<=[^.!?\\s] )[A-Z][a-z].*' THEN 8 ELSE 0 END
} IN TRANSACTIONS OF 1000 ROWS;
