"""Judgments: read, made pseudonymous, and stored in an append-only log."""
