"""The day of a memory: what a user meets in months of ordinary use."""
