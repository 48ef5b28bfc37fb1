"""The memory for models: MCP over stdio and over HTTP.

Only `routes` is quick to import; the other modules load the SDK, which takes a second, so a service
imports them when the first request comes."""
