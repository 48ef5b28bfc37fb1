// Runs of jobs: one for a job and slot, found by id, and the newest of a job.
CREATE CONSTRAINT job_run_id IF NOT EXISTS FOR (n:JobRun) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT job_run_slot IF NOT EXISTS FOR (n:JobRun) REQUIRE (n.job, n.slot) IS UNIQUE;
CREATE INDEX job_run_started IF NOT EXISTS FOR (n:JobRun) ON (n.job, n.startedAt);
