"""What annotators said: read, made pseudonymous, kept in a log that only grows."""
