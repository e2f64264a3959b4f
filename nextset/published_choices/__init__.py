"""Published questions with options, read as they are and written back: BBQ, its ports, and predictions."""
