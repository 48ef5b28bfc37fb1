// Notes that are old enough for another tier.
CREATE INDEX note_tier_age IF NOT EXISTS FOR (n:Note) ON (n.tier, n.kind, n.createdAt);
