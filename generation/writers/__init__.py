"""Models that follow instructions propose words for masks, or whole hypotheses."""
