"""Sessions with annotators: opened, pulled, adjudicated, closed."""
