"""What all protocols share: who asks, what is asked, what is answered, and what went wrong."""
