"""Query expansion of RECENCY (L3, component 1): a message is searched for in three variants."""

from typing import Final

from graphmem.domain.profiles.parameters import QueryExpansion
from graphmem.language.lexicon import STOP_WORDS
from graphmem.language.tokenizer import Tokens, tokens_in

_SHORT: Final = 2  # letters of words that are ignored


def extract_keywords(text: str, most: int = 12) -> str:
    """Return the first words of a text that are longer than two letters and not stop words."""
    words = [word for word in tokens_in(text.lower(), Tokens.SPELLED) if len(word) > _SHORT]
    return " ".join([word for word in words if word not in STOP_WORDS["query expansion"]][:most])


def query_variants(message: str, domain: str, given: QueryExpansion) -> tuple[str, ...]:
    """Return what to search for: the message, its keywords, and the keywords in their domain.

    For a message without keywords it is the message alone."""
    keywords = extract_keywords(message, given.max_keywords)
    if not (given.enabled and keywords):
        return (message,)
    found = [message]
    if given.use_keyword_extraction:
        found.append(keywords)
    if given.use_domain_scoping:
        found.append(f"{domain}: {keywords}")
    return tuple(found)
