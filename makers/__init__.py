"""Makers of the built-in models and of planted bias: what only a contributor runs, outside the wheel."""
