"""The clock of the jobs."""
