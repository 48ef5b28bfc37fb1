// Returns a row as long as the transaction that makes writes wait is there.
RETURN true AS paused
