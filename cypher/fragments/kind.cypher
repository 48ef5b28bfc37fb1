// kind(n): the label that says what a node is. `System`, a second label of some nodes, does not.
[label IN labels(n) WHERE label <> 'System'][0]
