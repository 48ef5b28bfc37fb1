"""Importing what graphmem exported: reading the file, and making what is missing."""
