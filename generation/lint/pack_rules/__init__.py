"""Lint rules for language packs, one idea per module."""
