"""nextset without a study: templates, items, scores, kept items and measures as tables in memory."""
