"""Measures entity resolution on labelled pairs of names."""
