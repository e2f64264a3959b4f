"""Interventions: what changes in the measures when a model is told something, on the same rows."""
