"""Plain typed answers, from which GraphQL types, JSON and structured output are made.

A result of a use case that already has the fields of an answer (an entity, an event, a run of a
job) is used unchanged; an answer that is composed for a reader has a class here."""
