"""Filtering: a declared rule keeps the items that models find hard, and rejects the others with a reason."""
