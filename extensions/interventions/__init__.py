"""Interventions: whether telling a model not to judge by a group helps."""
