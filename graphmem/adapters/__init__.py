"""graphmem as the memory of agent frameworks, each with its own extra.

An extra is, for example, `graphmem[langgraph]`. The adapters use `graphmem.client` and nothing
else of graphmem."""
