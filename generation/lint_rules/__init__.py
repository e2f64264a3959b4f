"""The rules of lint, each a function from a template to findings."""
