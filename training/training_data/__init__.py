"""Data for training and evaluation: NLI pairs, questions in SQuAD's format, and plain texts."""
