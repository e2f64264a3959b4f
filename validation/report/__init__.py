"""The validation report: progress, agreement, disagreements and exposure."""
