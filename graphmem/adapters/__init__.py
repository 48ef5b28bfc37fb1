"""graphmem as the memory of agent frameworks, each by an extra of its own, such as
`graphmem[langgraph]`. The adapters stand on `graphmem.client` and need nothing else of graphmem."""
