// Users who are being erased.
CREATE CONSTRAINT erasure_id IF NOT EXISTS FOR (n:Erasure) REQUIRE n.id IS UNIQUE;
