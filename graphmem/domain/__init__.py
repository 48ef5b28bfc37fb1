"""Pure data and arithmetic; standard library only."""
