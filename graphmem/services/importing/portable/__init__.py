"""Importing what graphmem exported: reading the file, and creating what is missing."""
