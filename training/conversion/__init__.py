"""Checkpoints of earlier systems become models that transformers loads."""
