"""What a message asks of the memory, in everyday words."""
