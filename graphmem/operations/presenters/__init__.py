"""Plain typed answers, from which GraphQL types, JSON and structured output are made.

What a use case gives is an answer as it is where it has the fields of one (an entity, an event, a
run of a job); what is put together for a reader has a class here."""
