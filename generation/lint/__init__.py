"""Lint rules for templates and language packs; none needs a model."""
