// Tells if a restore into this store was broken off.
RETURN EXISTS { MATCH (:Meta {name: 'restore'}) } AS half
