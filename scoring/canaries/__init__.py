"""Canaries: test cases with obvious answers, which models are asked before a long run."""
