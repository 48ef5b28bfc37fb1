// uuid(tail): a UUIDv7 of this instant with a given end, so that running a job by hand gives the same.
reduce(hex = '', shift IN [44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0] |
  hex + substring('0123456789abcdef', $now.epochMillis / toInteger(2 ^ shift) % 16, 1) + CASE shift WHEN 16 THEN '-' ELSE '' END) + '-7' + tail
