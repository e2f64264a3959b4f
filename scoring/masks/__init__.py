"""Masked language models: what they put at masks, how probable they find given words and sentences."""
