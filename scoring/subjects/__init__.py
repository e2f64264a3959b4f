"""Which of two subjects a model prefers: quads, answer spans, subjects at masks (UnQover)."""
