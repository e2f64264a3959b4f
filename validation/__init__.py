"""Annotators judge the kept items, and their judgments become columns."""
