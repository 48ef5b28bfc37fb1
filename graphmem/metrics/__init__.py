"""Metrics for Prometheus, for whoever runs the service."""
