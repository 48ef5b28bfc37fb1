"""What a text tells: names, relations, dates, kinds and topics, by rules."""
