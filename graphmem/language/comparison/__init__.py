"""What one text says beside another."""
