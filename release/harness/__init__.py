"""Harness exports: task folders for lm-evaluation-harness and inspect_ai."""
