"""The ranking profiles: each the formula of its document, pure functions of (note, question, now).

`ByFormula` holds the values that a formula works with, as the document names them, and `parts`,
what each of them put into the score: the parts add up to it."""
