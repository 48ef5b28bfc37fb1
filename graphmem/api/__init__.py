"""The GraphQL service."""
