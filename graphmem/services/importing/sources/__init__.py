"""Exports of other programs as documents: one module for each kind of program."""
