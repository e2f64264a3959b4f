"""Lint rules for templates and language packs; they need no model."""
