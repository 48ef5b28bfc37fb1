"""graphmem as the memory of agent frameworks, each with an extra of its own, such as
`graphmem[langgraph]`.

The adapters use `graphmem.client` and nothing else of graphmem."""
