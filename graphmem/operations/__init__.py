"""The part that all protocols share: who asks, what is asked, what is answered, and errors."""
