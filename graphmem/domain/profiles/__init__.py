"""The ranking profiles: each implements the formula of its document.

They are pure functions of (note, question, now). `Why` holds the values that a formula
works with, under the document's names, and `parts`, the contribution of each to the score: the
parts add up to it."""
