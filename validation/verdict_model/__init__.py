"""A small model that expects verdicts: it orders the queue and never takes the place of a person."""
