"""Metrics of readers, classifiers and masked LMs by their official definitions; pure functions."""
