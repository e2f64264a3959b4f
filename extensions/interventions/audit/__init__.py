"""Interventions: how the measures change if a model is told something, on the same rows."""
