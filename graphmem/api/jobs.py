"""Jobs in the API: for admins, since their counts are of everybody's notes."""

import strawberry

from graphmem.api.fields import mutation_of, query_of, subscription_of
from graphmem.api.object_types import object_type
from graphmem.operations.commands.jobs import CancelRun, FollowRun, ListJobRuns, ListJobs, RunJob
from graphmem.operations.presenters import jobs

JobRun = object_type(jobs.JobRun, status=str)
Job = object_type(jobs.Job, last_run=JobRun)


@strawberry.type
class JobQuery:
    """Reading jobs."""

    jobs = query_of(ListJobs, list[Job])
    job_runs = query_of(ListJobRuns, list[JobRun])


@strawberry.type
class JobMutation:
    """Running jobs."""

    run_job = mutation_of(RunJob, JobRun)
    cancel_run = mutation_of(CancelRun, JobRun)


@strawberry.type
class JobSubscription:
    """Following jobs."""

    job_run = subscription_of(FollowRun, JobRun)
