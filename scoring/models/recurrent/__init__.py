"""Recurrent readers: an LSTM reader and BiDAF, models without a transformer that transformers loads."""
