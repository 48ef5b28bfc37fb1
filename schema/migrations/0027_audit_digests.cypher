// What is kept of old events: numbers, by user and month.
CREATE CONSTRAINT audit_digest IF NOT EXISTS FOR (n:AuditDigest) REQUIRE (n.user, n.month) IS UNIQUE;
