// Records that what was written while a slot came into use has its vectors, too.
MATCH (v:Meta {name: 'vectors'})
SET v.touched = true
REMOVE v.touched
WITH v
WHERE v.inUse = 'embedding'
SET v.behind = false
RETURN v.inUse AS inUse
