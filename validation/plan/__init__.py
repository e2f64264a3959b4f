"""The plan of who judges what and when: made from a seed, stored in an append-only log."""
