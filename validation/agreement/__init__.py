"""Statistics of judgments: agreement, annotator quality, and the aggregation of votes."""
