"""The rules by which texts, names, questions and messages are read: those of English, and of other
languages what their words are.

Other layers import these modules and packages only, of a package only what its `__init__` names:

- `tokenizer`: what counts as a word, by what it is read for
- `analysis`, `word_index`: the words of a text as the full-text index has them, and their counts
- `sentences`, `keywords`, `text_features`: the parts of a text that need no understanding
- `languages`, `scripts`: which language a text is in, and which letters
- `own_terms`: the words of texts in other languages, by the rules of these
- `extraction`: entities, relations, dates, topics and types in a text
- `comparison`: how two texts relate, and which of two notes in conflict is kept
- `naming`: known names in a text, and whether two names are of one entity
- `questions`, `relation_words`, `query_expansion`: what a question asks for
- `messages`: what a message asks the memory to do
- `refinement`: which suggestions of an LLM a text supports
- `reflection_findings`, `reflection_text`: what a reflection finds in notes, and how it says so

`lexicon` holds the word lists of all of them.
"""
