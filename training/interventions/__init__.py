"""Training on interventions: readers learn to take ethical advice and no other (Zhao et al. 2021)."""
