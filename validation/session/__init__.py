"""Sessions with annotators: open, pull, adjudicate, close."""
