"""Scoring: items become model scores, with NLI classifiers, span readers, masked and generative models."""
