"""Lint: rules for templates and language packs that need no model."""
