"""Training on interventions: readers learn to follow ethical advice only (Zhao et al. 2021)."""
