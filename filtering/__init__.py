"""Scores decide which items are hard: the declared rule, AFLite, balance, and a report."""
