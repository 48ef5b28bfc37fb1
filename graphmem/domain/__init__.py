"""Pure data and arithmetic; uses only the standard library."""
