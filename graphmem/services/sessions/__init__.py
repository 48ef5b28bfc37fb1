"""Sessions of agents and their local memory."""
