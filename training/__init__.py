"""Training: makes the built-in models (`python -m nextset.training`)."""
