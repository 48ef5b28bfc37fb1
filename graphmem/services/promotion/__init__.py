"""Promotion: what a note says becomes what a team knows."""
