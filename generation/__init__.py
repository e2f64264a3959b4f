"""Templates and language packs become items: read, lint, expand, fill masks."""
