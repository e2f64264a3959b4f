"""Pairs of your own, or of an earlier release, become items of a study."""
