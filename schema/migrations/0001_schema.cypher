// The schema of 0.1.0: constraints, which keep ids and keys unique under concurrency, and what reads and jobs look up. The vector indexes are made at start, since their size is the model's.

// Users, agents, teams, and who may read what.
CREATE CONSTRAINT user_id IF NOT EXISTS FOR (n:User) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT agent_key IF NOT EXISTS FOR (n:Agent) REQUIRE (n.user, n.id) IS UNIQUE;
CREATE CONSTRAINT team_id IF NOT EXISTS FOR (n:Team) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (n:ApiKey) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT visibility_rule IF NOT EXISTS FOR (n:VisibilityRule) REQUIRE (n.user, n.domain) IS UNIQUE;
CREATE CONSTRAINT audience_key IF NOT EXISTS FOR (n:Audience) REQUIRE n.key IS UNIQUE;
CREATE INDEX audience_owner IF NOT EXISTS FOR (n:Audience) ON (n.owner);
CREATE CONSTRAINT erasure_id IF NOT EXISTS FOR (n:Erasure) REQUIRE n.id IS UNIQUE;

// Invitations name whom they invite, and make no user; a user blocks some of them.
CREATE CONSTRAINT invitation_of IF NOT EXISTS FOR (i:Invitation) REQUIRE (i.team, i.user) IS UNIQUE;
CREATE INDEX invitation_user IF NOT EXISTS FOR (i:Invitation) ON (i.user, i.at);
CREATE INDEX invitation_by IF NOT EXISTS FOR (i:Invitation) ON (i.by, i.at);
CREATE CONSTRAINT invitation_block_of IF NOT EXISTS FOR (b:InvitationBlock) REQUIRE (b.user, b.team, b.inviter) IS UNIQUE;
CREATE INDEX invitation_block_inviter IF NOT EXISTS FOR (b:InvitationBlock) ON (b.inviter, b.at);

// Notes. An external id belongs to who gave it: the same id by two authors is two notes.
CREATE CONSTRAINT note_id IF NOT EXISTS FOR (n:Note) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT note_external_key IF NOT EXISTS FOR (n:Note) REQUIRE (n.user, n.externalKey) IS UNIQUE;
CREATE INDEX note_external IF NOT EXISTS FOR (n:Note) ON (n.user, n.externalId);
CREATE CONSTRAINT note_idempotency_key IF NOT EXISTS FOR (n:Note) REQUIRE (n.user, n.idempotencyKey) IS UNIQUE;
CREATE CONSTRAINT note_curated_key IF NOT EXISTS FOR (n:Note) REQUIRE n.curatedKey IS UNIQUE;
CREATE INDEX note_audience_newest IF NOT EXISTS FOR (n:Note) ON (n.audience, n.createdAt);
CREATE INDEX note_title_key IF NOT EXISTS FOR (n:Note) ON (n.user, n.titleKey);
CREATE INDEX note_user_status IF NOT EXISTS FOR (n:Note) ON (n.user, n.status);
CREATE FULLTEXT INDEX note_text IF NOT EXISTS FOR (n:Note)
ON EACH [n.content, n.title, n.keywords, n.speaker, n.terms, n.audienceToken]
OPTIONS { indexConfig: { `fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false } };
CREATE CONSTRAINT link_id IF NOT EXISTS FOR ()-[r:LINKS_TO]-() REQUIRE r.id IS UNIQUE;
// An index of the time of expiry alone is what Neo4j plans, as long as the graph is small, for queries that only leave out what is expired: it then reads all notes. A second property, on which no query has a condition, leaves the index to the one query that names it.
CREATE INDEX note_expires_importance IF NOT EXISTS FOR (n:Note) ON (n.expiresAt, n.importance);
// The notes of an episode in their order: a note's neighbours, and those behind what a viewer may not read.
CREATE CONSTRAINT episode_key IF NOT EXISTS FOR (n:Episode) REQUIRE (n.user, n.key) IS UNIQUE;
CREATE INDEX note_episode IF NOT EXISTS FOR (n:Note) ON (n.user, n.episode, n.happenedAt, n.id);
// Notes that are old enough for another tier, and those that wait for an LLM: the users take turns.
CREATE INDEX note_tier_age IF NOT EXISTS FOR (n:Note) ON (n.tier, n.kind, n.createdAt);
CREATE INDEX note_waits IF NOT EXISTS FOR (n:Note) ON (n.user, n.refineAt);
// Core memory: the lines that were written for it, and the newest notes that belong to it.
CREATE INDEX note_core_block IF NOT EXISTS FOR (n:Note) ON (n.audience, n.coreBlock);
CREATE INDEX note_core_mark IF NOT EXISTS FOR (n:Note) ON (n.audience, n.coreMark, n.createdAt);
// Texts that notes say or said, by which an agent's copy of a note that few may read is known; and files that agents live by and that were destroyed.
CREATE INDEX revision_text_key IF NOT EXISTS FOR (n:Revision) ON (n.textKey);
CREATE CONSTRAINT lost_file IF NOT EXISTS FOR (l:LostFile) REQUIRE (l.user, l.id) IS UNIQUE;

// Entities: each name is one of its own, and what names that may be of one thing have in common.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE (n.user, n.key) IS UNIQUE;
CREATE INDEX entity_joined IF NOT EXISTS FOR (n:Entity) ON (n.user, n.joined);
CREATE INDEX entity_initials IF NOT EXISTS FOR (n:Entity) ON (n.user, n.initials);
CREATE INDEX entity_head IF NOT EXISTS FOR (n:Entity) ON (n.user, n.head);
CREATE INDEX entity_tail IF NOT EXISTS FOR (n:Entity) ON (n.user, n.tail);
CREATE INDEX entity_person IF NOT EXISTS FOR (n:Entity) ON (n.user, n.person);
CREATE INDEX entity_consonants IF NOT EXISTS FOR (n:Entity) ON (n.user, n.consonants);
CREATE INDEX entity_loose IF NOT EXISTS FOR (n:Entity) ON (n.user, n.loose);
CREATE CONSTRAINT also_called_id IF NOT EXISTS FOR ()-[r:ALSO_CALLED]-() REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT absorbed_id IF NOT EXISTS FOR ()-[r:ABSORBED]-() REQUIRE r.id IS UNIQUE;
CREATE INDEX had_absorbed_id IF NOT EXISTS FOR ()-[r:HAD_ABSORBED]-() ON (r.id);
CREATE INDEX relation_note IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON (r.noteId);

// Topics, and the notes about each by their readers, newest first.
CREATE CONSTRAINT topic_key IF NOT EXISTS FOR (n:Topic) REQUIRE n.key IS UNIQUE;
CREATE INDEX about_topic IF NOT EXISTS FOR ()-[r:ABOUT]-() ON (r.topic, r.audience, r.at);

// What a team shares: one standard procedure a domain, skills, and one entry of its board for a key of a scope.
CREATE CONSTRAINT sop_key IF NOT EXISTS FOR (n:Sop) REQUIRE (n.owner, n.domain) IS UNIQUE;
CREATE INDEX skill_audience IF NOT EXISTS FOR (n:Skill) ON (n.audience);
CREATE CONSTRAINT board_entry IF NOT EXISTS FOR (n:BoardEntry) REQUIRE (n.team, n.scope, n.key) IS UNIQUE;
CREATE INDEX board_readers IF NOT EXISTS FOR (n:BoardEntry) ON (n.audience);

// What waits for a decision: proposals, reflections, and conflicts, one for a pair of notes.
CREATE CONSTRAINT proposal_id IF NOT EXISTS FOR (n:Proposal) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT proposal_request IF NOT EXISTS FOR (n:Proposal) REQUIRE (n.user, n.requestKey) IS UNIQUE;
CREATE INDEX proposal_author IF NOT EXISTS FOR (n:Proposal) ON (n.user, n.author);
CREATE INDEX proposal_user IF NOT EXISTS FOR (n:Proposal) ON (n.user);
CREATE INDEX proposal_readers IF NOT EXISTS FOR (n:Proposal) ON (n.audience, n.kind);
CREATE INDEX proposal_team IF NOT EXISTS FOR (n:Proposal) ON (n.team);
CREATE CONSTRAINT reflection_id IF NOT EXISTS FOR (n:Reflection) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT reflection_number IF NOT EXISTS FOR (n:Reflection) REQUIRE (n.user, n.maker, n.number) IS UNIQUE;
CREATE CONSTRAINT reflection_item_id IF NOT EXISTS FOR (n:ReflectionItem) REQUIRE n.id IS UNIQUE;
CREATE INDEX reflection_user IF NOT EXISTS FOR (n:Reflection) ON (n.user);
CREATE CONSTRAINT conflict_id IF NOT EXISTS FOR (n:Conflict) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT conflict_pair IF NOT EXISTS FOR (n:Conflict) REQUIRE (n.user, n.pair) IS UNIQUE;
CREATE INDEX conflict_open IF NOT EXISTS FOR (n:Conflict) ON (n.user, n.open);

// Sessions of agents, and tasks that are passed on.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (n:Session) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT handoff_id IF NOT EXISTS FOR (n:Handoff) REQUIRE n.id IS UNIQUE;
CREATE INDEX handoff_user IF NOT EXISTS FOR (n:Handoff) ON (n.user);

// What happened: recalls, events, runs of jobs. An event about a link names the note at its other end, too, so that it is for that note's readers when they change. Of old events numbers are kept, by user and month.
CREATE CONSTRAINT recall_id IF NOT EXISTS FOR (n:Recall) REQUIRE n.id IS UNIQUE;
CREATE INDEX recall_at IF NOT EXISTS FOR (n:Recall) ON (n.at);
CREATE INDEX recall_user_cycle IF NOT EXISTS FOR (n:Recall) ON (n.user, n.cycle);
CREATE INDEX recall_judged IF NOT EXISTS FOR (n:Recall) ON (n.asker, n.judgedAt);
CREATE CONSTRAINT stream_name IF NOT EXISTS FOR (n:Stream) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT event_id IF NOT EXISTS FOR (n:Event) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT event_seq IF NOT EXISTS FOR (n:Event) REQUIRE (n.stream, n.seq) IS UNIQUE;
CREATE INDEX event_subject IF NOT EXISTS FOR (n:Event) ON (n.subjectId);
CREATE INDEX event_other IF NOT EXISTS FOR (e:Event) ON (e.otherId);
CREATE INDEX event_at IF NOT EXISTS FOR (n:Event) ON (n.at);
CREATE CONSTRAINT audit_digest IF NOT EXISTS FOR (n:AuditDigest) REQUIRE (n.user, n.month) IS UNIQUE;
CREATE CONSTRAINT job_run_id IF NOT EXISTS FOR (n:JobRun) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT job_run_slot IF NOT EXISTS FOR (n:JobRun) REQUIRE (n.job, n.slot) IS UNIQUE;
CREATE INDEX job_run_started IF NOT EXISTS FOR (n:JobRun) ON (n.job, n.startedAt);
