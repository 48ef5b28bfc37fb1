"""The running of jobs: claims, leases, pace and the isolation of failures."""
