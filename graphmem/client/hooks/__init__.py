"""Hooks of agents' programs: what the memory says by itself, and what it keeps of a conversation.

Standard library only, as the client, since a program starts a hook at each prompt."""
