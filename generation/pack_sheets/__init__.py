"""New language packs: a scaffold with empty cells, the sheet that a native speaker fills in, the review."""
