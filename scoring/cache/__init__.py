"""Scores that were reckoned once, kept on this machine for all studies."""
