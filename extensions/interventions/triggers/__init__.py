"""Triggers: tokens that bring the groups' probabilities together, found by gradient-guided search."""
