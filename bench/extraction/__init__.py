"""How well the extractor finds entities and relations in annotated sentences."""
