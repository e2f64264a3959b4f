"""Masked language models: their fills for masks, and the probability of given words and sentences."""
