"""Validation: kept items become units that annotators judge, and verdicts become columns."""
