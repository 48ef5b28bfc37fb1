"""`graphmem demo`: the service on real input, with questions that need more than one note."""
