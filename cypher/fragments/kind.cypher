// kind(n): the label that says what a node is; `System`, which stands beside some, does not.
[label IN labels(n) WHERE label <> 'System'][0]
