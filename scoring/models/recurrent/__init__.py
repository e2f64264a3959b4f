"""Recurrent readers: an LSTM reader and BiDAF, without a transformer, as models that transformers loads."""
