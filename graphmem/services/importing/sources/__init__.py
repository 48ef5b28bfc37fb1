"""What other programs export, as documents: one module for each kind of program."""
