// holds(x): a node or relationship with one of some words in any text of it, in whatever case. Ids, readers and who did something are no texts.
any(name IN keys(x) WHERE NOT name IN $unread AND CASE
  WHEN x[name] IS :: STRING NOT NULL THEN any(form IN $words WHERE toLower(x[name]) CONTAINS form)
  WHEN x[name] IS :: LIST<STRING NOT NULL> NOT NULL THEN any(each IN x[name] WHERE any(form IN $words WHERE toLower(each) CONTAINS form))
  ELSE false
END)
