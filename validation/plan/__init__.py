"""The plan: who judges which units and when, made from a seed and stored in an append-only log."""
