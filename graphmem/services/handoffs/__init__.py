"""Handoffs: tasks that agents pass on, with notes that are lent for them."""
