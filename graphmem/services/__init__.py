"""Use cases: one async function each, called by every protocol."""
