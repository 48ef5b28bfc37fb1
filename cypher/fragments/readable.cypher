// readable(n): a note that the viewer may read, and that has not expired.
n.audience IN $audiences AND n.expiresAt > $now
