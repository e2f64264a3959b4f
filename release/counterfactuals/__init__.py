"""Counterfactuals: the counterparts of released items, and the check that pairs are complete and minimal."""
