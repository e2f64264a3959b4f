"""Checks of models before a long run."""
