"""What every door has in common: who asks, what is asked, what is answered, and what went wrong."""
