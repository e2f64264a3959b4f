"""A model's preference between two subjects: quads, answer spans, subjects at masks (UnQover)."""
