"""The commands of `graphmem`."""
