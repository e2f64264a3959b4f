"""Files on disk: written whole or not at all, locked, append-only logs, hand-written YAML."""
