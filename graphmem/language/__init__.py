"""The rules for texts, names, questions and messages in English, and for words of other languages.

Other layers import only these modules and packages, of a package only what its `__init__` names:

- `tokenizer`: what counts as a word, for each purpose
- `analysis`, `word_index`: the terms of a text in the full-text index, and their counts
- `sentences`, `keywords`, `text_features`: the parts of a text that need no understanding
- `languages`, `scripts`: the language and the letters of a text
- `own_terms`: the terms of texts in other languages, by their own rules
- `extraction`: entities, relations, dates, topics and types in a text
- `comparison`: how two texts relate, and which of two notes in conflict is kept
- `naming`: known names in a text, and whether two names are of one entity
- `questions`, `relation_words`, `query_expansion`: what a question asks for
- `messages`: what a message asks the memory to do
- `refinement`: which suggestions of an LLM a text supports
- `reflection_findings`, `reflection_text`: what a reflection finds in notes, and how it says so

`lexicon` holds the word lists of all of them.
"""
