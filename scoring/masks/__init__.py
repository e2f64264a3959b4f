"""Masked language models: their fills for masks, and how probable they find given words and sentences."""
