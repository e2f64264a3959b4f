"""Files on disk: atomic writes, folder locks, append-only logs, hand-written YAML."""
