"""Promotion: what a note says becomes knowledge of a team."""
