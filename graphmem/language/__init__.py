"""English: how texts, names, questions and messages are read. The only door to word lists."""
