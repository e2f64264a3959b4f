"""Who judges what, and when: planned from a seed, kept in a log that only grows."""
