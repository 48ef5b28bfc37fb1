// Makes all writes of nodes wait until its transaction ends, which is rolled back: making an index locks its labels for everybody who writes one. No such index ever comes to be.
CREATE FULLTEXT INDEX pause_of_nodes
FOR (n:Agent|ApiKey|Audience|AuditDigest|BoardEntry|Conflict|Current|Entity|Episode|Erasure|Event|Handoff|Invitation|InvitationBlock|JobLease|JobRun|Knowledge|LostFile|Meta|Migration|Note|Passage|Proposal|Recall|Reflection|ReflectionItem|Revision|Session|Skill|Sop|Stream|Team|Topic|User|VisibilityRule|Wording)
ON EACH [n.id]
