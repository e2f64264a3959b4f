"""Models that write text: the probabilities of choices, and written texts."""
